// The figures of one sale, live.
import { html } from '../vendor/preact-htm.js';
import { duration, language, number, t } from '../shared/texts.js';
import { call, now } from '../shared/server.js';
import { driftOf, unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { clock, near } from './moment.js';
import { goodOrBad } from './parts.js';
import { revenueOf, sumsText } from './revenue.js';

const soon = 5; // minutes
const most = 100; // orders that are read
const minute = 60_000; // ms
const first = 6; // figures that count most

// readComing reads the orders that are cancelled within the next minutes unless their buyers pay: {units, first, more}.
// first is when the first of them is cancelled, in ms; more says that there are others, which may be cancelled before.
export async function readComing(sale) {
  if (!may('GET /orders')) return undefined;
  const placed = now() - sale.pay_within_s * 1000 + soon * minute;
  const query = new URLSearchParams({
    activity_id: sale.activity_id,
    status: 'unpaid',
    to: new Date(placed).toISOString(),
    page_size: String(most),
  });
  const { items, next_cursor: more, partial } = await call('GET', `/orders?${query}`);
  if (partial) return undefined;
  const units = items.flatMap((order) => order.items).reduce((sum, item) => sum + item.quantity, 0);
  const first = Math.min(...items.map((order) => Date.parse(order.pay_before)));
  return { units, first, more: Boolean(more) };
}

// paidEachMinute is how many orders were paid in the last minute by points of time, or undefined before it is known.
function paidEachMinute(points) {
  const known = points.filter((point) => point.paid !== undefined);
  const last = known.at(-1);
  const first = known.find((point) => last.at - point.at <= minute);
  if (!last || last.at - first.at < minute / 6) return undefined;
  return Math.max(0, Math.round(((last.paid - first.paid) * minute) / (last.at - first.at)));
}

export const percent = (part, whole) =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part / whole);

// peakNote says over which time the figure is, and how many orders were placed in the second with the most.
const peakNote = (peak) => (peak ? t('peak', { orders: number(peak.orders), time: clock(peak.at) }) : t('orders_mean'));

const ordersText = (n) => (n === 1 ? t('of_order') : t('of_orders', { orders: typeof n === 'number' ? number(n) : n }));

// driftNote says what the colour of the figure means.
function driftNote(audit) {
  if (!audit || driftOf(audit.items) > 0) return '';
  if (audit.ok) return t('drift_none');
  return [
    driftOf(audit.totals) > 0 && t('drift_totals'),
    audit.bought_wrong > 0 && t('drift_bought', { n: number(audit.bought_wrong) }),
    audit.changes_stuck > 0 && t('drift_stuck', { n: number(audit.changes_stuck) }),
  ]
    .filter(Boolean)
    .join('; ');
}

const lineNote = (line) =>
  t('room_length', { admitted: number(line.admitted), time: duration(line.last_waits_s * 1000) });

// heldNote says of a sale that is sold out also when the first held units return.
const heldNote = (orders, left, coming) =>
  left === 0 && coming?.units > 0 ? t('held_return', { orders, time: near(coming.first) }) : orders;

// leftOf is how many units are left. The account has its own reading: what it shows as well is of the account's.
export const leftOf = (stats, audit) => (audit ? unitsOf(audit.items, 'remaining') : unitsLeft(stats));

// Figures shows the figures that count most: the account of the units with its orders and money. The others are folded
// away: what of them needs a person raises the alarm.
export function Figures({ sale, skus, stats, audit, coming, points }) {
  const known = (n) => (stats.partial && n === 0 ? '–' : n); // what the store that is away would have is 0
  const units = (name) => (stats.loaded ? unitsOf(stats.stock, name) : '–');
  const left = leftOf(stats, audit);
  const total = unitsOf(audit ? audit.items : stats.stock, 'total');
  const orders = stats.placed + stats.unpaid + stats.paid + stats.refunded + stats.cancelled + stats.failed;
  const paid = stats.paid + stats.refunded;
  const rate = paidEachMinute(points);
  const back = coming && (coming.more ? `${number(coming.units)}+` : coming.units);
  const revenue = stats.loaded && skus && revenueOf(sale, skus, stats.stock);
  const line = stats.waiting_room;
  const figures = [
    ['left', left ?? '–', t('of_total', { total: number(total) })],
    ['orders_per_second', known(stats.orders_per_second), peakNote(stats.peak)],
    ['paid_units', units('paid'), ordersText(known(stats.paid))],
    ['held', units('held'), heldNote(ordersText(known(stats.unpaid + stats.placed)), left, coming)],
    ['revenue', revenue ? sumsText(revenue) : '–', t('revenue_note')],
    ['drift', audit ? driftOf(audit.items) : '–', driftNote(audit), audit ? goodOrBad(audit.ok) : ''],
    ['dead', known(stats.queue.dead), '', stats.queue.dead ? 'bad' : ''],
    ['coming_back', back ?? '–', t('coming_back_note', { minutes: soon })],
    [
      'paid_rate',
      orders > 0 && !stats.partial ? percent(paid, orders) : '–',
      rate === undefined ? '' : t('paid_minute', { n: number(rate) }),
    ],
    ['state_cancelled', known(stats.cancelled)],
    ['in_room', line ? line.waiting : '–', line ? lineNote(line) : t('room_none_short')],
    ['queued', known(stats.queue.length), t('oldest_age', { time: duration(stats.queue.oldest_ms) })],
  ];
  return html`<${Tiles} figures=${figures.slice(0, first)} />
    <details class="more-figures"><summary>${t('more_figures')}</summary>
      <${Tiles} figures=${figures.slice(first)} /></details>`;
}

function Tiles({ figures }) {
  return html`<dl class="figures six">${figures.map(
    ([name, value, note, kind = '']) => html`
    <div id="figure-${name}" class=${kind}><dt>${t(name)}</dt>
      <dd>${typeof value === 'number' ? number(value) : value} <small>${note}</small></dd></div>`,
  )}</dl>`;
}
