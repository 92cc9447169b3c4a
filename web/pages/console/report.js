// What a sale has sold, as a page to read, to print and to keep as a file.
import { html } from '../vendor/preact-htm.js';
import { money, number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { Code } from './answers.js';
import { pointText, save } from './list_parts.js';
import { moment, Time, zoned } from './moment.js';
import { ordersText as orders } from './orders.js';
import { Action, Table } from './parts.js';
import { revenueOf } from './revenue.js';
import { Countdown, SaleState } from './sales.js';
import { BackToSales, SaleTabs } from './ways.js';

export function Report({ id }) {
  const path = `/activities/${encodeURIComponent(id)}/report`;
  const { value: report, error, reload } = useLoad(() => call('GET', path), [path]);
  const sale = useLoad(() => call('GET', `/activities/${encodeURIComponent(id)}`), [id]);
  if (!report) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  return html`<div class="report"><${BackToSales} /><div class="row heading">
      <h1>${t('report_of', { sale: report.title })}</h1>
      <${SaleState} sale=${report} /><${Countdown} sale=${report} />
      <span class="row actions">
        <${Action} label=${t('download')} run=${() => save(`${path}.csv?bom=1`, `report-${id}.csv`)} done=${null} />
        <button class="quiet" id="print" onClick=${() => window.print()}>${t('print')}</button></span></div>
    <${SaleTabs} id=${id} current="report" />
    <p class="muted" id="report-span">${spanOf(report)}<br />
      ${t('report_made', { time: moment(report.made_at) })}</p>
    ${!report.settled && html`<p class="notice" id="unsettled">${unsettled(report)}</p>`}
    <${Totals} report=${report} sale=${sale.value} /><${Parts} report=${report} />
    <${Traffic} traffic=${report.traffic} /></div>`;
}

// spanOf is when a sale sold. When a sale was closed is not known, only that it was before its end.
function spanOf({ state, starts_at: starts, ends_at: ends, made_at: made }) {
  const early = state === 'offline' && Date.parse(made) < Date.parse(ends);
  const times = { starts: moment(starts), ends: moment(ends) };
  return early ? t('report_closed', times) : `${times.starts} – ${times.ends}`;
}

// unsettled says why the figures of a report may still change.
function unsettled({ placed, totals }) {
  if (placed === undefined) return t('report_queue_unknown');
  if (placed + totals.unpaid_orders === 0) return t('report_runs');
  return t('report_unsettled', { placed: number(placed), unpaid: number(totals.unpaid_orders) });
}

// goodsOf is what was paid for the goods of a sale alone, as its live page says; undefined where that is not known.
function goodsOf({ skus, currency }, sale) {
  const stock = skus.map(({ sku_id, sums }) => ({ sku_id, paid: sums.paid_units }));
  const priced = skus.map(({ sku_id }) => ({ sku_id, currency }));
  return sale && revenueOf(sale, priced, stock)?.[currency];
}

function Totals({ report, sale }) {
  const { totals, offered_units: offered, currency, traffic } = report;
  const inMoney = (amount) => money(amount, currency);
  const goods = goodsOf(report, sale);
  const parts =
    goods !== undefined &&
    t('report_paid_parts', { goods: inMoney(goods), freight: inMoney(totals.paid_amount - goods) });
  const figures = [
    ['paid_units', number(totals.paid_units), t('of_total', { total: number(offered) })],
    ['report_paid', inMoney(totals.paid_amount), parts || orders(totals.paid_orders)],
    ['refunded', inMoney(totals.refunded_amount), t('report_whole', { orders: orders(totals.refunded_orders) })],
    ['report_net', inMoney(totals.net_amount), t('report_net_note')],
    ['state_unpaid', inMoney(totals.unpaid_amount), orders(totals.unpaid_orders)],
    ['state_cancelled', inMoney(totals.cancelled_amount), orders(totals.cancelled_orders)],
    ['state_failed', number(totals.failed_orders), t('report_failed_note')],
    [
      'report_peak',
      traffic.peak ? number(traffic.peak.orders) : '–',
      traffic.peak ? moment(traffic.peak.at) : t(`report_peak_${traffic.state}`),
    ],
  ];
  return html`<dl class="figures three">${figures.map(
    ([name, value, note]) => html`
    <div id="figure-${name}"><dt>${t(name)}</dt><dd>${value} <small>${note}</small></dd></div>`,
  )}</dl>`;
}

function Parts({ report }) {
  const { currency, skus, points, times, rooms, share_sources: shares } = report;
  const sums = [
    [t('orders'), (row) => number(row.sums.orders), 'number named'],
    [t('paid_units'), (row) => number(row.sums.paid_units), 'number named'],
    [t('report_unpaid_units'), (row) => number(row.sums.unpaid_units), 'number named'],
    [t('report_cancelled_units'), (row) => number(row.sums.cancelled_units), 'number named'],
    [t('paid_amount'), (row) => money(row.sums.paid_amount, currency), 'number named'],
    [t('refunded'), (row) => money(row.sums.refunded_amount, currency), 'number named'],
    [t('report_net'), (row) => money(row.sums.net_amount, currency), 'number named end'],
  ];
  const offered = [t('report_offered'), (row) => number(row.offered_units), 'number named'];
  const point = [t('point'), (row) => pointText(row.point_id), 'lead'];
  const part = (name, rows, first, keyOf, more = []) => html`<section><h2>${name}</h2>
    <${Table} name=${name} rows=${rows} columns=${[first, ...more, ...sums]} empty=${t('report_none')} keyOf=${keyOf} />
    </section>`;
  return html`
    ${part(t('report_skus'), skus, [t('sku'), skuOf, 'lead wide'], (row) => row.sku_id, [offered])}
    ${part(t('report_points'), points, point, (row) => row.point_id, [offered])}
    ${part(
      t(`report_every_${times.every_s}`),
      times.items,
      [zoned(t('report_placed')), (row) => html`<${Time} at=${row.at} />`, 'lead'],
      (row) => row.at,
    )}
    <div class="columns"><${Sources} name=${t('share_sources')} sources=${shares} />
      <${Sources} name=${t('rooms')} sources=${rooms} /></div>`;
}

const skuOf = ({ sku_id: id, title }) => html`${title} <code class="muted below">${id}</code>`;

// Sources counts the orders by where their buyers came from, where any order says so.
function Sources({ name, sources: { items, others, without } }) {
  if (items.length === 0) return null;
  const rest = [
    [t('report_others'), others],
    [t('report_without'), without],
  ].filter(([, orders]) => orders > 0);
  const rows = [...items.map((item) => [item.name, item.orders]), ...rest];
  const columns = [
    [name, ([source]) => source, 'lead'],
    [t('orders'), ([, orders]) => number(orders), 'number named end'],
  ];
  return html`<section><h2>${name}</h2><${Table} name=${name} rows=${rows} columns=${columns} empty=""
    keyOf=${([source]) => source} /></section>`;
}

function Traffic({ traffic }) {
  const { state, paths, submits, refusals, early_places: early } = traffic;
  const columns = [
    [t('code'), (row) => html`<${Code} code=${row.code} />`, 'lead'],
    [t('call_path'), (row) => number(row.paths), 'number named'],
    [t('call_submit'), (row) => number(row.submits), 'number named'],
  ];
  return html`<section id="traffic"><h2>${t('report_traffic')}</h2>
    ${
      state === 'kept'
        ? html`<p>${t('report_requests', { paths: number(paths), submits: number(submits) })}
        ${early && html` ${t('report_early', { n: number(early) })}`}</p>
      <${Table} name=${t('report_traffic')} rows=${refusals} columns=${columns} empty=${t('report_refused_none')}
        keyOf=${(row) => row.code} />`
        : html`<p class="notice">${t(`report_traffic_${state}`)}</p>`
    }</section>`;
}
