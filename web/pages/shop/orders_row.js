// An order in my orders: what it is, its state in a buyer's words, and paying or cancelling it.
import { html, useState } from '../vendor/preact-htm.js';
import { duration, moment, money, t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { msUntil } from '../shared/sale_figures.js';
import { Icon } from '../shared/icons.js';
import { Picture, Problem } from '../shared/parts.js';
import { Cancel } from './cancel.js';
import { outcomeOf } from './order_facts.js';
import { begin, isOpenForOne, pageOf, paymentsOf, useReturn } from './payment.js';

// stateOf says in a few words what became of an order, or what is to be done.
function stateOf(order) {
  const { status, refunded_amount: back, currency } = order;
  const left = status === 'unpaid' ? msUntil(order.pay_before) : 0;
  if (left > 0) return t('row_unpaid', { time: duration(left) });
  if (status === 'paid' && back > 0) return t('row_refunded_part', { amount: money(back, currency) });
  if (status === 'paid' && order.fulfilment) return t(`line_${order.fulfilment.state}`);
  if (status === 'paid') return t(order.voucher_code ? 'row_voucher' : 'status_paid');
  return outcomeOf(order);
}

const nameOf = ({ title, quantity }) => (quantity > 1 ? `${title} × ${quantity}` : title);

// inFours returns the number of an order in groups of four, as its page has it.
const inFours = (number) => number.replace(/.{4}(?=.)/g, '$& ');

export function OrderRow({ order, reload }) {
  const [first] = order.items;
  const unpaid = order.status === 'unpaid' && msUntil(order.pay_before) > 0;
  const view = `#/order/${order.order_number}`;
  const code = order.status === 'paid' && order.voucher_code;
  return html`<li class="card order-card"><a class="row-order" href=${view}>
    <${Picture} url=${first.image_url} title=${first.title} />
    <b class="line">${(order.bundle ? [order.bundle] : order.items).map(nameOf).join(', ')}</b>
    <span class="muted line facts-line">${moment(order.placed_at)}
      <span class="number"> · ${t('row_number', { number: inFours(order.order_number) })}</span></span>
    <span class="state"><span class="badge ${order.status}">${stateOf(order)}</span></span>
    <b class="sum">${money(order.total_amount, order.currency)}</b><${Icon} name="on" /></a>
    ${unpaid && html`<${Acts} order=${order} reload=${reload} />`}
    ${code && html`<div class="row acts"><a class="button go" href=${view}>${t('row_code')}</a></div>`}
    </li>`;
}

// Acts pays or cancels an order.
function Acts({ order, reload }) {
  const [state, set] = useState({});
  useReturn(() => set({}));
  const number = order.order_number;
  const view = `#/order/${number}`;
  const pay = async () => {
    if (state.busy) return;
    set({ busy: true });
    try {
      const [last] = await paymentsOf(number);
      const page = pageOf(isOpenForOne(last) ? last : await begin([number], settings.channels[0]));
      if (page) location.assign(page);
      else location.hash = view; // it says how to pay
    } catch (error) {
      set({ error });
    }
  };
  const label = t('pay', { amount: money(order.total_amount, order.currency) });
  const close = () => set({});
  return html`<${Problem} error=${state.error} /><div class="row acts">
    ${
      settings.channels.length === 1
        ? html`<button type="button" class="go pay-row" aria-disabled=${state.busy ? 'true' : undefined} onClick=${pay}
            aria-label=${label}>${t('row_pay')}</button>`
        : html`<a class="button go" href=${view} aria-label=${label}>${t('row_pay')}</a>`
    }
    <button type="button" class="link cancel-row"
      onClick=${() => set({ cancelling: true })}>${t('cancel_order')}</button></div>
    ${
      state.cancelling &&
      html`<${Cancel} order=${order} close=${close} done=${() => {
        close();
        reload();
      }} />`
    }`;
}
