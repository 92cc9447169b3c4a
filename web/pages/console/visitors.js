// How many visitors an operator expects in the first minute of a sale, and what gates such a crowd needs, as
// docs/operating/a-sale.md says.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { Field } from './parts.js';

// gatesFor says what a crowd needs of the gates of a sale: each {level, text}. A sale of many more visitors than units
// needs permits, and of a crowd a human check; whether it needs a waiting room depends on what the instances serve.
export function gatesFor({ permit_ratio: ratio, human_check: check, waiting_room: room }, units, visitors) {
  const values = { visitors: number(visitors), units: number(units), rate: number(Math.ceil(visitors / 60)) };
  const say = (level, name) => ({ level, text: t(`gates_${name}`, values) });
  if (visitors < 2 * units) return [say('ok', 'few')];
  const missing = [
    !(ratio > 0) && say('warning', 'permits'),
    visitors > 10 * units && check === 'none' && say('warning', 'human'),
    !(room?.paths_per_second > 0) && say('unknown', 'room'),
  ].filter(Boolean);
  return missing.length > 0 ? missing : [say('ok', 'fit')];
}

const marks = { ok: '✓', warning: '!', failure: '×', unknown: '?' };

// Signs lists whether each part is ready: each {level, text}.
export function Signs({ signs }) {
  return html`<ul class="readiness">${signs.map(
    ({ level, text }) => html`<li class=${level}><span class="sign" aria-hidden="true">${marks[level]}</span>
      <span><span class="hidden">${t(`ready_level_${level}`)}: </span>${text}</span></li>`,
  )}</ul>`;
}

// Visitors asks for the number, and says what the gates of a form need for it.
export function Visitors({ form, change, error }) {
  const visitors = Number(form.expected_visitors);
  const units = form.skus.flatMap((sku) => sku.stock).reduce((sum, stock) => sum + Number(stock.quantity), 0);
  const gates = { ...form, waiting_room: { paths_per_second: Number(form.paths_per_second) } };
  return html`<section class="card" id="visitors"><h2>${t('visitors')}</h2>
    <${Field} name="expected_visitors" label=${t('expected_visitors')} help=${t('visitors_help')} type="number" min="0"
      max="1000000000" error=${error} value=${form.expected_visitors}
      onInput=${(e) => change({ expected_visitors: e.target.value })} />
    <div role="status">${visitors > 0 && html`<${Signs} signs=${gatesFor(gates, units, visitors)} />`}</div></section>`;
}
