// What came of the orders that name a room, a share code, a share source or an inviter: by value, and by day.
import { html } from '../vendor/preact-htm.js';
import { money, number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { emptyText, Filters, List, queryOf, Table, useFilters, usePages } from './parts.js';
import { Download } from './list_parts.js';
import { ordersText, sources } from './orders.js';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Attribution({ query }) {
  const none = { by: 'room_id', sort: '', value: '', activity_id: '' };
  const [filters, setFilters] = useFilters('money/attribution', query, none);
  const asked = queryOf(filters);
  const dated = { ...asked, time_zone: zone };
  const list = usePages('/attribution', asked);
  const path = `/attribution/totals?${new URLSearchParams(dated)}`;
  const { value: totals, error, reload } = useLoad(() => call('GET', path), [path]);
  const fields = [
    { name: 'by', label: t('attribution_by'), options: sources.map((name) => [name, t(name)]) },
    {
      name: 'sort',
      label: t('attribution_sort'),
      options: [
        ['', t('report_net')],
        ['orders', t('orders')],
      ],
    },
    { name: 'from', label: t('from_day'), type: 'date' },
    { name: 'to', label: t('to_day'), type: 'date' },
    { name: 'value', label: t('attribution_value'), maxlength: 64 },
    { name: 'activity_id', label: t('attribution_sale'), maxlength: idInput.maxlength },
  ];
  const ordersOf = (value) => `#/money/orders?${new URLSearchParams({ [filters.by]: value })}`;
  const value = [t(filters.by), (row) => html`<a href=${ordersOf(row.value)}>${row.value}</a>`, 'lead'];
  const chosen = queryOf({ ...filters, by: '' });
  const empty = emptyText('attribution', chosen);
  return html`<div class="row"><${Filters} fields=${fields} values=${filters} change=${setFilters} />
      <${Download} path="/attribution.csv" filters=${dated} /></div>
    <${Problem} error=${error} retry=${reload} />
    ${totals && html`<${Totals} totals=${totals} />`}
    <${List} list=${list} name=${t('attribution')} columns=${[value, ...sums()]} empty=${empty}
      keyOf=${(row) => row.value} />
    ${totals?.days.length > 0 && html`<${Days} days=${totals.days} />`}`;
}

// inEach shows an amount in each currency.
const inEach = (name) => (row) => row.amounts.map((a) => money(a[name], a.currency)).join(' + ') || '–';

const paidOrders = ({ amounts }) => number(amounts.reduce((sum, a) => sum + a.paid_orders, 0));

const sums = () => [
  [t('orders'), (row) => number(row.orders), 'number named'],
  [t('attribution_paid_orders'), paidOrders, 'number named'],
  [t('report_paid'), inEach('paid_amount'), 'number named'],
  [t('refunded'), inEach('refunded_amount'), 'number named'],
  [t('report_net'), inEach('net_amount'), 'number named end'],
];

// Totals are the sums of all values, and of those that the list doesn't have.
function Totals({ totals: { total, others, values } }) {
  return html`<p id="attribution-total">${t('attribution_total', {
    orders: ordersText(total.orders),
    values: number(values),
    net: inEach('net_amount')(total),
  })}${others.orders > 0 && html` ${t('attribution_others', { orders: ordersText(others.orders) })}`}</p>`;
}

function Days({ days }) {
  const day = [t('attribution_day', { zone }), (row) => row.day, 'lead'];
  return html`<section><h2>${t('attribution_days')}</h2><${Table} name=${t('attribution_days')} rows=${days}
    columns=${[day, ...sums()]} keyOf=${(row) => row.day} /></section>`;
}
