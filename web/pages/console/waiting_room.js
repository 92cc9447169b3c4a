// The waiting room of a sale: how many buyers it admits each second, which may change while the sale runs.
import { html, useState } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { may } from './me.js';
import { Action } from './parts.js';
import { stateOf } from './sales.js';

const change = 'PATCH /activities/{activity_id}';
const rates = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000, 10_000];

// nearest is the place of a rate among rates.
const nearest = (rate) =>
  rates.reduce((best, r, i) => (Math.abs(r - rate) < Math.abs(rates[best] - rate) ? i : best), 0);

// rateText says how many buyers a rate admits; below one a second, how often one is.
const rateText = (rate) =>
  rate < 1 ? t('room_every', { s: number(Math.round(1 / rate)) }) : t('room_rate_is', { rate: number(rate) });

// lineValues are how many users wait, and how long the last of them waits at a rate.
const lineValues = (line, rate, known) => ({
  waiting: number(line.waiting),
  admitted: number(line.admitted),
  time: duration((known ? line.last_waits_s : line.waiting / rate) * 1000),
  rate: rateText(rate),
});

// openValues say what opening a room means: how long many buyers would wait, those that are expected or 1,000.
const openValues = (rate, visitors) => ({
  rate: rateText(rate),
  visitors: number(visitors || 1000),
  time: duration(((visitors || 1000) / rate) * 1000),
});

export function WaitingRoom({ sale, line, then }) {
  const [wanted, want] = useState();
  if (!['upcoming', 'running'].includes(stateOf(sale))) return null;
  const rate = sale.waiting_room?.paths_per_second ?? -1;
  const has = rate > 0;
  const none = t(sale.mode === 'draw' ? 'room_none_draw' : 'room_none');
  const shown = wanted ?? (has ? rate : 10);
  const same = has && shown === rate;
  const waits = same ? 'room_waits' : 'room_waits_then';
  const undo = (now) => () => set(rate)({}, '', now.version);
  const said = (now) => {
    const paths = now.waiting_room?.paths_per_second ?? -1;
    return paths > 0 ? t('done_room', { rate: rateText(paths) }) : t('done_room_ended');
  };
  const set = (paths) => (_, key, version) =>
    call('PATCH', `/activities/${sale.activity_id}`, {
      version: version ?? sale.version,
      body: { waiting_room: { paths_per_second: paths } },
    });
  const done = () => {
    want();
    then();
  };
  const typed = (e) => Number(e.target.value) >= 0.01 && want(Number(e.target.value));
  return html`<details class="card room" id="room" open=${has}>
    <summary><h2>${t('room')}</h2> <span>${has ? t('room_admits', { rate: rateText(rate) }) : none}
      ${line && html` <b id="room-line">${t(waits, lineValues(line, shown, same))}</b>`}</span></summary>
    ${
      may(change) &&
      html`<div class="row">
      <label class="slider"><span>${t('room_rate')}</span>
        <input type="range" min="0" max=${rates.length - 1} value=${nearest(shown)}
          aria-valuetext=${rateText(shown)} onInput=${(e) => want(rates[e.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t('room_rate')}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${shown} onChange=${typed} />
        <span class="muted">${t('a_second')}</span></label></div>
    ${same && html`<p class="muted">${t('room_same')}</p>`}
    <div class="row">
      ${
        same
          ? html`<button class="quiet" disabled>${t('room_set')}</button>`
          : html`<${Action} route=${change}
            label=${t(has ? 'room_set' : 'room_open')} id="room-set" run=${set(shown)} then=${done}
            title=${!has && t('room_open')} help=${t('room_open_help', openValues(shown, sale.expected_visitors))}
            done=${said} undo=${undo} />`
      }
      ${
        has &&
        html`<${Action} route=${change}
          label=${t('room_end')} title=${t('room_end')} help=${t('room_end_help')} kind="danger"
        id="room-end" run=${set(-1)} then=${done} done=${said} undo=${undo} />`
      }</div>`
    }</details>`;
}
