// The draw of a sale: who takes part, and by what everybody checks the order.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';

const fact = (name, value) => html`<div><dt>${t(`draw_${name}`)}</dt><dd>${value}</dd></div>`;

export function Draw({ sale }) {
  const drawn = sale.mode === 'draw' && sale.state !== 'draft';
  const { value, error } = useEvery(5000, async () => drawn && call('GET', `/activities/${sale.activity_id}/draw`));
  if (!drawn) return null;
  return html`<section class="card" id="draw"><h2>${t('draw_title')}</h2><${Problem} error=${error} />
    ${
      value &&
      html`<dl class="facts">${fact('entries', number(value.entries))}${fact('drawn', number(value.drawn))}</dl>
      <details class="raw"><summary>${t('draw_proof')}</summary><dl class="facts">
        ${fact('seed_hash', html`<code>${value.seed_hash}</code>`)}
        ${fact('seed', value.seed ? html`<code>${value.seed}</code>` : t('draw_later'))}</dl></details>`
    }</section>`;
}
