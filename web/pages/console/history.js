// The charts of a sale: the last hour as the program kept it, and what came since the page was opened.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Chart } from './chart.js';

const every = 5000; // ms between two points
const most = 720; // points: an hour
const fewest = 3; // points that are drawn

// pointOf is the point of the current figures. Those of a store that did not answer are unknown, as the program leaves
// them out: partial doesn't say which one it was, so what is 0 may be either.
export function pointOf(stats, left) {
  const known = (n) => (stats.partial && !n ? undefined : n);
  return {
    at: Date.parse(stats.server_time),
    orders_per_second: known(stats.orders_per_second),
    remaining: left ?? null,
    unpaid: known(stats.unpaid + stats.placed),
    paid: known(stats.paid),
  };
}

// keep adds a point to others, unless the last one is young.
export const keep = (points, point) =>
  points.length > 0 && point.at - points.at(-1).at < every ? points : [...points, point].slice(-most);

// upTo ends points with the current one, so that the charts have the values of the figures above them.
export const upTo = (points, now) => [...points.filter(({ at }) => at < now.at), now];

// merged puts both kinds of points in order, one in each span of five seconds: the program's own where it has one. The
// page has none of the time in which it was hidden.
export function merged(kept, points) {
  const stored = kept.map((point) => ({ ...point, at: Date.parse(point.at) }));
  const spans = new Map([...points, ...stored].map((point) => [Math.floor(point.at / every), point]));
  return [...spans.values()].sort((a, b) => a.at - b.at).slice(-most);
}

// fromStart leaves out the time before a sale's start in which nobody ordered.
function fromStart(points, start) {
  const first = points.findIndex((p) => p.at >= start || p.orders_per_second > 0 || p.unpaid > 0 || p.paid > 0);
  return first > 0 ? points.slice(first) : points;
}

const names = ['orders_per_second', 'left', 'unpaid_paid'];

// Charts are side by side; phones show the one that is chosen.
export function Charts({ points, starts, total }) {
  const [chosen, choose] = useState(0);
  const all = fromStart(points, Date.parse(starts));
  const times = all.map((point) => point.at);
  const line = (label, color, values) => ({ label, color, values });
  const of = (name) => all.map((point) => point[name] ?? null);
  const chart = (name, values, more) => html`
    <${Chart} title=${t(name)} times=${times} series=${[line('', 'link', values)]} ...${more} />`;
  if (times.length < fewest) return html`<p class="muted" id="charts-empty">${t('chart_empty')}</p>`;
  return html`<section class="of-time" aria-label=${t('charts')}>
    <div class="row choices">${names.map(
      (name, i) => html`<button type="button" class="quiet" aria-pressed=${i === chosen}
        onClick=${() => choose(i)}>${t(name)}</button>`,
    )}</div><div class="charts chosen-${chosen}">
    ${chart('orders_per_second', of('orders_per_second'), { note: t('orders_mean') })}
    ${chart('left', of('remaining'), { top: Math.max(1, total) })}
    <${Chart} title=${t('unpaid_paid')} times=${times}
      series=${[line(t('state_unpaid'), 'warn', of('unpaid')), line(t('state_paid'), 'good', of('paid'))]} /></div>
  </section>`;
}
