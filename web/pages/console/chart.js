// Charts over time, drawn by uPlot.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { language, number } from '../shared/texts.js';
import { clock } from './moment.js';

const height = 150; // px
const shortest = 60; // seconds that a chart shows at least
const few = 5; // points that are drawn beside the line

let Plot; // what draws, once it was loaded: then a change of colours is drawn at once

// Chart draws lines over times, in ms. series are {label, color, values}; color names a variable of the stylesheet. The
// note says of what the values are; the scale reaches at least up to top. The legend has the newest value of each line,
// which screen readers read instead of the picture, or the values and the time under the pointer.
export function Chart({ title, note, times, series, top = 1 }) {
  const place = useRef();
  const chart = useRef();
  const [at, point] = useState(); // the place of the point under the pointer
  const data = [times.map((ms) => ms / 1000), ...series.map((line) => line.values)];
  const latest = useRef(data);
  latest.current = data;
  const highest = useRef(top);
  highest.current = top;
  useEffect(() => {
    let ended = false;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async () => {
      Plot ??= (await import('../vendor/uplot.js')).default;
      if (ended) return;
      chart.current?.destroy();
      chart.current = new Plot(
        options(place.current.clientWidth, series, point, highest),
        latest.current,
        place.current,
      );
    };
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: place.current.clientWidth, height }));
    draw();
    dark.addEventListener('change', draw);
    resized.observe(place.current);
    return () => {
      ended = true;
      dark.removeEventListener('change', draw);
      resized.disconnect();
      chart.current?.destroy();
    };
  }, []);
  useEffect(() => {
    chart.current?.setData(latest.current);
  });
  const shown = at ?? times.length - 1;
  const value = ({ values }) => (values[shown] == null ? '–' : number(values[shown]));
  return html`<figure class="card chart">
    <figcaption><b>${title}</b>${note && html` <span class="muted">${note}</span>`}
      ${at !== undefined && html` <span class="muted">${clock(times[at])}</span>`}${series.map(
        (line) => html`
      <span class=${line.label ? `line ${line.color}` : 'only'}>${line.label} <b>${value(line)}</b></span>`,
      )}</figcaption>
    <div ref=${place} aria-hidden="true"></div></figure>`;
}

// room is how wide the values beside a chart are, in px: about 7 for each character.
const room = (_, values) => 8 + 7 * Math.max(1, ...(values ?? []).map((text) => text.length));

const isShort = ({ min, max }) => max - min < 600; // seconds

function options(width, series, point, highest) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: color('muted'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  /** @type {Intl.DateTimeFormatOptions} */
  const toMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const hours = new Intl.DateTimeFormat(language, toMinute);
  const seconds = new Intl.DateTimeFormat(language, { ...toMinute, second: '2-digit' });
  const labels = (of, all) => all.map((s) => (isShort(of.scales.x) ? seconds : hours).format(s * 1000));
  return {
    width,
    height,
    padding: [8, 28, 0, 12], // half of a time fits beside its tick
    legend: { show: false },
    cursor: { y: false, drag: { x: false }, points: { size: 7 } },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    scales: {
      x: { range: (_, min, max) => [Math.min(min, max - shortest), max] },
      y: { range: (_, min, max) => [Math.min(0, min), Math.max(highest.current, max * 1.1)] },
    },
    axes: [
      { ...axis, values: labels, space: 80, size: 30 },
      { ...axis, size: room, gap: 4, values: (_, all) => all.map((n) => (Number.isInteger(n) ? number(n) : '')) },
    ],
    series: [
      {},
      ...series.map((line) => ({
        stroke: color(line.color),
        width: 2,
        fill: `${color(line.color)}22`,
        points: { show: (of) => of.data[0].length <= few, size: 6 },
        spanGaps: true,
      })),
    ],
  };
}
