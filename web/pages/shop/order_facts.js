// What a buyer wants to know of an order: its outcome in a sentence, where it goes, when, and how it was paid.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { duration, has, moment, t } from '../shared/texts.js';
import { copy } from '../shared/copy.js';
import { grouped } from '../shared/grouped.js';
import { call } from '../shared/server.js';
import { msUntil } from '../shared/sale_figures.js';
import { phrased } from '../shared/phrases.js';
import { addressLine } from '../shared/parts.js';
import { channelName } from './payment.js';

// outcomeOf says what became of an order, or what is to be done.
export function outcomeOf(order) {
  const { status, cancel_reason: reason } = order;
  if (status === 'unpaid' && !isPayable(order)) return t('pay_closed');
  if (status === 'unpaid') return t(order.activity_id ? 'outcome_yours' : 'outcome_placed');
  const key = `outcome_${status}_${reason}`;
  return t(reason && has(key) ? key : `outcome_${status}`);
}

// isPayable reports whether an order waits for its payment.
export const isPayable = ({ status, pay_before: end }) => status === 'unpaid' && msUntil(end) > 0;

// TimeLeft says how long the units of an order are kept for the payment: red in the last two minutes.
export function TimeLeft({ order }) {
  const left = msUntil(order.pay_before);
  const extended = order.events?.some(({ what }) => what === 'pay_extended');
  const text = t(extended ? 'pay_extended' : 'pay_left', { time: duration(left) });
  return html`<p class="left ${left < 120_000 ? 'last' : ''}" role="timer">${phrased(text)}</p>`;
}

// Facts lists where an order goes, and what happened to it when.
export function Facts({ order, payments }) {
  const point = usePoint(order.pickup_point_id);
  const channel = payments.find(({ status }) => ['paid', 'refunding', 'refunded'].includes(status))?.channel;
  const paid = order.paid_at && moment(order.paid_at);
  const facts = [
    ['order_number', html`<${Numbered} number=${order.order_number} />`],
    ['fact_to', order.address && `${addressLine(order.address)}, ${order.address.phone}`],
    ['fact_point', order.pickup_point_id && (point ?? order.pickup_point_id)],
    ['fact_placed', moment(order.placed_at)],
    ['fact_paid', paid && (channel ? t('paid_by', { time: paid, channel: channelName(channel) }) : paid)],
    ['fact_packed', order.fulfilment?.packed_at && moment(order.fulfilment.packed_at)],
    ['fact_shipped', order.fulfilment?.shipped_at && moment(order.fulfilment.shipped_at)],
    ['fact_delivered', order.fulfilment?.delivered_at && moment(order.fulfilment.delivered_at)],
    ['fact_carrier', order.fulfilment?.carrier],
    ['fact_tracking', order.fulfilment?.tracking_number],
    ['fact_cancelled', order.cancelled_at && moment(order.cancelled_at)],
  ];
  return html`<dl class="facts">${facts
    .filter(([, value]) => value)
    .map(([name, value]) => html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// Numbered shows the number of an order as one reads it out, and copies it.
function Numbered({ number }) {
  const [copied, say] = useState('');
  const press = async () => say(t((await copy(number)) ? 'share_copied' : 'copy_failed'));
  return html`<span class="grouped">${grouped(number)}</span>${' '}
    <button type="button" class="link copy" onClick=${press}>${t('copy')}</button>
    <span class="muted" aria-live="polite"> ${copied}</span>`;
}

// usePoint returns where and when goods are picked up at a point, once it is known.
function usePoint(id) {
  const [line, set] = useState();
  useEffect(() => {
    if (!id) return;
    call('GET', '/points?pickup=true&page_size=100').then(
      ({ items }) => set(pointLine(items.find((point) => point.point_id === id))),
      () => {}, // its id is shown
    );
  }, [id]);
  return line;
}

function pointLine(point) {
  if (!point) return undefined;
  const { name, address, hours } = point;
  return [address ? `${name}, ${address}` : name, hours && t('point_hours', { hours })].filter(Boolean).join('. ');
}
