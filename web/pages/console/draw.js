// The draw of a sale: who takes part, and by what everybody checks the order.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';

export function Draw({ sale }) {
  const drawn = sale.mode === 'draw' && sale.state !== 'draft';
  const { value, error } = useEvery(5000, async () => drawn && call('GET', `/activities/${sale.activity_id}/draw`));
  if (!drawn) return null;
  return html`<section class="card" id="draw"><h2>${t('draw_title')}</h2><${Problem} error=${error} />
    ${
      value &&
      html`<dl class="facts">
      <div><dt>${t('draw_entries')}</dt><dd>${number(value.entries)}</dd></div>
      <div><dt>${t('draw_drawn')}</dt><dd>${number(value.drawn)}</dd></div>
      <div><dt>${t('draw_seed_hash')}</dt><dd><code>${value.seed_hash}</code></dd></div>
      <div><dt>${t('draw_seed')}</dt>
        <dd>${value.seed ? html`<code>${value.seed}</code>` : t('draw_later')}</dd></div></dl>`
    }</section>`;
}
