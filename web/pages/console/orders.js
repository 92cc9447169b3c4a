// The orders, with filters, and the refund of selected orders.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, number, problemText, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Dialog } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { moment, Time, zoned } from './moment.js';
import { Action, Badge, emptyText, Filters, List, queryOf, useFilters, usePages } from './parts.js';
import { choices, Download } from './list_parts.js';
import { may } from './me.js';
import { ShipFile } from './fulfilment.js';
import { SaleTabs } from './ways.js';
import { sentence } from './wrong.js';

const most = 100; // orders of one request

// sources are the fields that say what led to an order.
export const sources = ['room_id', 'share_code', 'share_source', 'inviter_id'];

// saleChoices are the newest sales, and the sale that is chosen.
function saleChoices(sales, chosen) {
  const known = sales.map((sale) => [sale.activity_id, `${sale.title}, ${moment(sale.starts_at)}`]);
  const other = chosen && !known.some(([id]) => id === chosen) ? [[chosen, chosen]] : [];
  return [['', t('all')], ...other, ...known];
}

export function Orders({ query }) {
  const [filters, setFilters] = useFilters('money/orders', query, { status: '', user_id: '', activity_id: '' });
  const asked = queryOf(filters);
  const list = usePages('/orders', asked);
  const sales = useLoad(async () =>
    may('GET /activities') ? call('GET', '/activities?page_size=100') : { items: [] },
  );
  const [selected, select] = useState(() => new Set());
  useEffect(() => select(new Set()), [JSON.stringify(asked)]);
  const chosen = list.items.filter((order) => selected.has(order.order_number));
  const fields = [
    { name: 'user_id', label: t('buyer'), maxlength: 64 },
    { name: 'status', label: t('state'), options: choices(['unpaid', 'paid', 'cancelled', 'refunded', 'failed']) },
    {
      name: 'activity_id',
      label: t('sale'),
      options: saleChoices(sales.value?.items ?? [], filters.activity_id),
    },
    { name: 'from', label: t('from_day'), type: 'date' },
    { name: 'to', label: t('to_day'), type: 'date' },
  ];
  const more = [
    {
      name: 'fulfilment',
      label: t('fulfilment'),
      options: choices(['unpacked', 'packed', 'shipped', 'delivered']),
    },
    { name: 'sku_id', label: t('sku'), maxlength: idInput.maxlength },
    { name: 'client_reference', label: t('client_reference'), maxlength: 64 },
    ...sources.map((name) => ({ name, label: t(name), maxlength: 64 })),
  ];
  const columns = [
    selectColumn(list.items, selected, select),
    [t('order'), (o) => html`<a href="#/order/${o.order_number}">${o.order_number}</a>`, 'lead id'],
    [zoned(t('placed')), (o) => html`<${Time} at=${o.placed_at} />`, 'when'],
    [t('buyer'), buyer, 'cut buyer'],
    [t('what'), (o) => o.items.map((item) => `${item.title} × ${item.quantity}`).join(', '), 'cut'],
    [t('amount'), amountCell, 'number'],
    [t('state'), (o) => html`<${Badge} state=${o.fulfilment?.state ?? o.status} />`, 'end'],
  ];
  return html`${filters.activity_id && html`<${SaleTabs} id=${filters.activity_id} current="orders" />`}
    <${Filters} fields=${fields} more=${more} values=${filters} change=${setFilters} />
    <div class="row selection"><${Selection} orders=${chosen} of=${list.items} clear=${() => select(new Set())}
        again=${list.reload} />
      <${ShipFile} again=${list.reload} /><${Download} path="/orders.csv" filters=${asked} /></div>
    <${List} list=${list} name=${t('orders')} columns=${columns} empty=${emptyText('orders', asked)}
      keyOf=${(o) => o.order_number} />`;
}

// buyer is who bought, and below it who receives the goods.
const buyer = ({ user_id: user, address }) =>
  html`${user}${address && html`<br /><small class="muted">${address.receiver}, ${address.phone}</small>`}`;

// amountCell is what an order cost, and below it what of that was refunded.
const amountCell = ({ total_amount: total, refunded_amount: refunded, currency }) =>
  html`${money(total, currency)}${
    refunded > 0 &&
    html`<br /><small class="muted">${t('amount_refunded', { amount: money(refunded, currency) })}</small>`
  }`;

const isPaid = ({ status }) => status === 'paid';

// selectColumn selects paid orders, which can be refunded.
function selectColumn(orders, selected, select) {
  const paid = orders.filter(isPaid).map((order) => order.order_number);
  const all = paid.length > 0 && paid.every((id) => selected.has(id));
  const toggle = (id) => () => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  const heading = html`<input type="checkbox" id="select-all" aria-label=${t('select_all')} title=${t('select_all')}
    checked=${all} disabled=${paid.length === 0} onChange=${() => select(new Set(all ? [] : paid))} />`;
  const box = (order) =>
    isPaid(order) &&
    html`<input type="checkbox" aria-label=${t('select_order', { number: order.order_number })}
      checked=${selected.has(order.order_number)} onChange=${toggle(order.order_number)} />`;
  return [heading, box, 'select'];
}

// sumOf is the amount of orders that can still be refunded, by currency.
function sumOf(orders) {
  const sums = new Map();
  for (const { currency, total_amount: total, refunded_amount: refunded = 0 } of orders) {
    sums.set(currency, (sums.get(currency) ?? 0) + total - refunded);
  }
  return [...sums].map(([currency, amount]) => money(amount, currency)).join(' + ');
}

// refundAll refunds orders, as many at once as a request takes. A second try after a lost answer refunds none twice.
async function refundAll(orders, reason, key) {
  const numbers = orders.map((order) => order.order_number);
  const items = [];
  for (let i = 0; i < numbers.length; i += most) {
    const body = { order_numbers: numbers.slice(i, i + most), ...(reason && { reason }) };
    items.push(...(await call('POST', '/orders:refund', { key: `${key}-${i}`, body })).items);
  }
  return items;
}

// ordersText is a number of orders.
export const ordersText = (n) => (n === 1 ? t('of_order') : t('of_orders', { orders: number(n) }));

// Selection refunds the orders that are selected, and says what became of each.
function Selection({ orders, of, clear, again }) {
  const [results, show] = useState();
  const sum = sumOf(orders);
  const reason = { name: 'reason', label: t('reason_optional'), maxlength: 200 };
  const done = (items) => {
    show(items);
    clear();
    again();
  };
  return html`<span class="grow" role="status">${
    orders.length > 0
      ? t('selected', { count: number(orders.length), sum })
      : of.some(isPaid) && html`<span class="muted">${t('selected_none')}</span>`
  }</span>
    ${
      orders.length > 0 &&
      html`<${Action} route="POST /orders:refund" label=${t('refund_selected')} id="refund-selected" kind="danger"
      title=${t('refund_selected_title', { count: number(orders.length) })}
      button=${t('refund_selected_go', { sum, orders: ordersText(orders.length) })}
      help=${t('refund_selected_help', { sum })} fields=${[reason]}
      run=${({ reason }, key) => refundAll(orders, reason, key)} then=${done} done=${null} />`
    }
    ${results && html`<${Results} items=${results} close=${() => show()} />`}`;
}

// reasonOf says why an order was refused: for a code that says little, in the server's words.
const reasonOf = ({ code, detail }) =>
  code === 'conflict' ? sentence(detail) : problemText({ code, message: detail, problem: { detail } });

function Results({ items, close }) {
  const failed = items.filter((item) => item.error);
  return html`<${Dialog} title=${t('refund_results')} close=${close}>
    <p id="refund-results">${t('refund_results_done', { orders: ordersText(items.length - failed.length) })}</p>
    ${failed.length > 0 && html`<p class="bad">${t('refund_results_failed', { count: number(failed.length) })}</p>`}
    ${failed.map(
      ({ order_number: id, error }) => html`
    <p key=${id}><a href="#/order/${id}" onClick=${close}>${id}</a>: ${reasonOf(error)}</p>`,
    )}
    <button type="button" class="go" onClick=${close}>${t('close')}</button><//>`;
}
