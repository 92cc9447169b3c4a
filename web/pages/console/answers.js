// The answers that buyers of a sale got, and what the gates of this instance refused.
import { html } from '../shared/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { useEvery, watched } from '../shared/server.js';
import { Table } from './parts.js';

// readRefusals reads the refusals of all gates from the metrics of the instance that answers.
async function readRefusals() {
  const answer = await watched('/metrics');
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
  return [...(await answer.text()).matchAll(/^onrush_refusals_total\{gate="(\w+)",code="(\w+)"\} (\d+)$/gm)]
    .map(([, gate, code, n]) => ({ gate, code, n: Number(n) }))
    .sort((a, b) => b.n - a.n);
}

export function Answers({ stats }) {
  const { value: refusals, error } = useEvery(3000, readRefusals);
  const answers = Object.entries(stats.answers).map(([name, n]) => ({ call: name.split(':')[0], code: name.split(':')[1], n }))
    .sort((a, b) => b.n - a.n);
  const most = Math.max(1, ...answers.map(({ n }) => n));
  const bar = ({ n, code }) => html`<meter min="0" max=${most} value=${n} class=${code === 'ok' ? 'good' : ''}
    aria-label=${number(n)}></meter>`;
  const groups = [['rooms', 'room_id'], ['share_sources', 'share_source']].filter(([name]) => stats[name].length);
  return html`<div class="columns"><section><h2>${t('answers')}</h2>
      <${Table} name=${t('answers')} rows=${answers} empty=${t('answers_none')} keyOf=${(a) => `${a.call}:${a.code}`} columns=${[
    [t('call'), (a) => t(`call_${a.call}`)], [t('code'), (a) => html`<code>${a.code}</code>`], ['', bar], [t('count'), (a) => number(a.n), 'number'],
  ]} /></section>
    <section><h2>${t('refusals')}</h2>
      ${error && html`<p class="muted">${t('refusals_unknown')}</p>`}
      ${refusals && html`<${Table} name=${t('refusals')} rows=${refusals} empty=${t('refusals_none')} keyOf=${(r) => `${r.gate}:${r.code}`} columns=${[
    [t('gate'), (r) => r.gate], [t('code'), (r) => html`<code>${r.code}</code>`], [t('count'), (r) => number(r.n), 'number'],
  ]} />`}</section>
    ${groups.map(([name, id]) => html`<section><h2>${t(name)}</h2><${Table} name=${t(name)} rows=${stats[name]} empty="" keyOf=${(r) => r[id]}
      columns=${[[t(name), (r) => html`<a href="#/money/orders?${new URLSearchParams({ activity_id: stats.activity_id, [id]: r[id] })}">${r[id]}</a>`],
        [t('orders'), (r) => number(r.orders), 'number']]} /></section>`)}</div>`;
}
