// One sale, live: its account, its charts, its answers.
import { html, useRef } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { driftOf, unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { settings } from '../shared/settings.js';
import { Crowd } from '../shared/crowd.js';
import { Account } from './account.js';
import { Answers } from './answers.js';
import { Charts, keep } from './history.js';
import { Badge, goodOrBad } from './parts.js';
import { countdown, stateOf } from './sales.js';
import { ChangeStock, Clone, Close, Extend } from './sale_actions.js';

export function Live({ id }) {
  const path = `/activities/${encodeURIComponent(id)}`;
  const sale = useEvery(5000, () => call('GET', path));
  const history = useEvery(60_000, () => call('GET', `${path}/history`));
  const points = useRef([]);
  const stats = useEvery(1000, async () => {
    const read = await call('GET', `${path}/stats`);
    know(read.server_time);
    points.current = keep(points.current, read);
    return read;
  });
  const audit = useEvery(2000, () => call('GET', `${path}/audit`));
  useTick();
  const error = sale.error ?? stats.error ?? audit.error;
  if (!sale.value) return error ? html`<${Problem} error=${error} retry=${sale.reload} />` : html`<${Loading} />`;
  const again = () => {
    sale.reload();
    audit.reload();
    stats.reload();
  };
  return html`<div class="row heading"><h1>${sale.value.title}</h1><${Badge} state=${stateOf(sale.value)} />
      <span class="muted" role="timer">${countdown(sale.value)}</span></div>
    <div class="row toolbar">
      <${Extend} sale=${sale.value} then=${again} /><${ChangeStock} sale=${sale.value} then=${again} />
      <a class="button" href="#/edit/${id}">${t('edit')}</a><${Clone} sale=${sale.value} />
      <${Close} sale=${sale.value} then=${again} /></div>
    <${Problem} error=${error} retry=${again} />
    ${stats.value?.partial && html`<p class="notice">${t('partial')}</p>`}
    ${stats.value && html`<${Figures} stats=${stats.value} audit=${audit.value} />`}
    ${settings.dev_tokens && stateOf(sale.value) === 'running' && html`<${Crowd} activity=${id} />`}
    <${Charts} history=${history.value?.items ?? []} points=${points.current} />
    ${audit.value && html`<${Account} audit=${audit.value} sale=${sale.value} again=${again} />`}
    ${stats.value && html`<${Answers} stats=${stats.value} />`}`;
}

function Figures({ stats, audit }) {
  const known = (n) => (stats.partial && n === 0 ? '–' : n); // what the store that is away would have is 0
  const units = (name) => (stats.loaded ? unitsOf(stats.stock, name) : '–');
  const figures = [
    ['left', unitsLeft(stats) ?? '–', t('of_total', { total: number(unitsOf(stats.stock, 'total')) })],
    ['orders_per_second', known(stats.orders_per_second)],
    ['queued', known(stats.queue.length), t('oldest_age', { time: duration(stats.queue.oldest_ms) })],
    ['held', units('held'), t('of_orders', { orders: known(stats.unpaid + stats.placed) })],
    ['paid_units', units('paid'), t('of_orders', { orders: known(stats.paid) })],
    ['state_cancelled', known(stats.cancelled)],
    ['dead', known(stats.queue.dead), '', stats.queue.dead ? 'bad' : ''],
    ['drift', audit ? driftOf(audit.items) : '–', '', audit ? goodOrBad(audit.ok) : ''],
  ];
  return html`<dl class="figures">${figures.map(
    ([name, value, note, kind]) => html`
    <div id="figure-${name}" class=${kind}><dt>${t(name)}</dt>
      <dd>${typeof value === 'number' ? number(value) : value} <small>${note}</small></dd></div>`,
  )}</dl>`;
}
