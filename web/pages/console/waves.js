// The waves of a published sale on its live page: which units are open, and when the next ones are.
import { html } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { call, now } from '../shared/server.js';
import { moment } from './moment.js';
import { Action } from './parts.js';
import { stateOf } from './sales.js';

/**
 * nextOf returns when the next waves of a sale open, and how many units they have; undefined if none does.
 *
 * @param {any} sale
 * @param {number} at the server's time in ms
 */
export function nextOf(sale, at) {
  const later = sale.skus.flatMap((sku) => sku.waves ?? []).filter((wave) => Date.parse(wave.at) > at);
  if (later.length === 0) return undefined;
  const time = Math.min(...later.map((wave) => Date.parse(wave.at)));
  const units = later.filter((wave) => Date.parse(wave.at) === time).reduce((sum, wave) => sum + wave.quantity, 0);
  return { time, units };
}

// opened is the change by which the waves of a time open now.
const opened = (sale, time, at = new Date(now()).toISOString()) => ({
  skus: sale.skus
    .filter((sku) => sku.waves?.some((wave) => Date.parse(wave.at) === time))
    .map(({ sku_id, waves }) => ({
      sku_id,
      waves: waves.map((wave) => (Date.parse(wave.at) === time ? { ...wave, at } : wave)),
    })),
});

// NextWave says how many units are closed and when the next of them open, and opens them.
export function NextWave({ sale, stats, then }) {
  const next = nextOf(sale, now());
  if (!next || !['running', 'upcoming'].includes(stateOf(sale))) return null;
  const closed = stats?.stock.reduce((sum, stock) => sum + (stock.closed ?? 0), 0);
  const facts = { units: number(next.units), at: moment(new Date(next.time)), time: duration(next.time - now()) };
  return html`<p class="notice row" id="next-wave"><span role="timer">${t('wave_next', facts)}</span>
    ${closed > 0 && html`<span class="muted">${t('wave_closed', { closed: number(closed) })}</span>`}
    ${
      stateOf(sale) === 'running' &&
      html`<${Action} route="PATCH /activities/{activity_id}" label=${t('wave_open')} title=${t('wave_open')}
        id="open-wave" help=${t('wave_open_help', facts)} done=${t('wave_opened_done', facts)} then=${then}
        run=${(_, __, version = sale.version) =>
          call('PATCH', `/activities/${sale.activity_id}`, { version, body: opened(sale, next.time) })} />`
    }</p>`;
}
