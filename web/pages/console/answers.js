// The answers that buyers of a sale got, and what all instances refused.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { percent } from './live_figures.js';
import { may } from './me.js';
import { Table, To, words } from './parts.js';

const minutes = 5; // that the refusals count

// Code says the code of an answer in words, before the code itself.
export const Code = ({ code }) =>
  html`${words('refusal', code).replace(code, '')} <code class="muted below">${code}</code>`;

export function Answers({ stats }) {
  const answers = Object.entries(stats.answers)
    .map(([name, n]) => ({ call: name.split(':')[0], code: name.split(':')[1], n }))
    .sort((a, b) => b.n - a.n);
  const all = answers.reduce((sum, { n }) => sum + n, 0);
  const answered = [
    [t('call'), (a) => t(`call_${a.call}`)],
    [t('code'), (a) => html`<${Code} code=${a.code} />`, 'lead'],
    [t('share'), (a) => percent(a.n, all), 'number named'],
    [t('count'), (a) => number(a.n), 'number end'],
  ];
  const groups = [
    ['rooms', 'room_id'],
    ['share_sources', 'share_source'],
  ].filter(([name]) => stats[name].length);
  return html`<div class="columns">
    <section><h2>${t('answers')}</h2>
      <${Table} name=${t('answers')} rows=${answers} columns=${answered} empty=${t('answers_none')}
        keyOf=${(a) => `${a.call}:${a.code}`} /></section>
    ${may('GET /refusals') && html`<${Refusals} />`}
    ${groups.map(([name, id]) => html`<${Sources} name=${name} id=${id} stats=${stats} />`)}</div>`;
}

// Refusals counts what all instances refused, in all sales.
function Refusals() {
  const { value, error, reload } = useEvery(3000, () => call('GET', `/refusals?minutes=${minutes}`));
  const columns = [
    [t('code'), (r) => html`<${Code} code=${r.code} />`, 'lead'],
    [t('count'), (r) => number(r.requests), 'number end'],
  ];
  return html`<section><h2>${t('refusals', { minutes })}</h2>
    <${Problem} error=${error} retry=${reload} />
    ${
      value &&
      html`<${Table} name=${t('refusals', { minutes })} rows=${value.items} columns=${columns}
      empty=${t('refusals_none')} keyOf=${(r) => r.code} />`
    }</section>`;
}

// Sources counts the orders by what led to them, which is their field id.
function Sources({ name, id, stats }) {
  const orders = (row) => `#/money/orders?${new URLSearchParams({ activity_id: stats.activity_id, [id]: row[id] })}`;
  const columns = [
    [t(name), (row) => html`<${To} route="GET /orders" href=${orders(row)}>${row[id]}<//>`, 'lead'],
    [t('orders'), (row) => number(row.orders), 'number end'],
  ];
  return html`<section><h2>${t(name)}</h2>
    <${Table} name=${t(name)} rows=${stats[name]} columns=${columns} empty="" keyOf=${(row) => row[id]} /></section>`;
}
