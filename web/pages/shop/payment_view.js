// A payment of several orders: how it is paid, and what became of it.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { unitsOf } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { follow } from './order_events.js';
import { Finish } from './finish.js';
import { channelName, isOpen, pageOf, useReturn } from './payment.js';

export function Payment({ id }) {
  const { value: payment, error, reload } = useLoad(() => call('GET', `/payments/${encodeURIComponent(id)}`));
  const [leaving, leave] = useState(false);
  useEffect(() => follow(reload), []);
  useReturn(() => leave(false));
  if (!payment) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const page = isOpen(payment) && pageOf(payment);
  const amount = money(payment.amount, payment.currency);
  const pay = () => {
    if (leaving) return;
    leave(true);
    location.assign(page);
  };
  return html`<article class="card order"><div role="status"><h1 class="outcome">${outcomeOf(payment)}</h1></div>
    ${
      page &&
      html`<p class="pay"><button id="pay" class="go large"
        aria-disabled=${leaving ? 'true' : undefined} onClick=${pay}>
        ${t('pay', { amount })}</button></p>`
    }
    ${isOpen(payment) && !page && html`<${Finish} payment=${payment} amount=${amount} />`}
    <h2>${t('payment_orders')}</h2>
    <${Parts} payment=${payment} />
    <p class="row actions">
      <a class="button ${isOpen(payment) ? 'quiet' : 'go'}" href="#/orders">${t('back_orders')}</a></p></article>`;
}

// Parts lists the orders of a payment with what each costs, and says where their sum is not the payment's amount.
export function Parts({ payment: { order_numbers: numbers, amount, currency } }) {
  const { value: orders } = useLoad(() => Promise.all(numbers.map((number) => call('GET', `/orders/${number}`))));
  const sum = orders && unitsOf(orders, 'total_amount');
  const values = { amount: money(amount, currency), sum: sum !== undefined && money(sum, currency) };
  return html`<ul class="items">${numbers.map((number, i) => {
    const order = orders?.[i];
    return html`<li key=${number}><a href="#/order/${number}">${
      order ? order.items.map((item) => `${item.title} × ${item.quantity}`).join(', ') : number
    }</a><span>${order && money(order.total_amount, order.currency)}</span></li>`;
  })}</ul>
    <dl class="amounts"><div><dt>${t('payment_total')}</dt><dd>${values.amount}</dd></div></dl>
    ${values.sum && sum !== amount && html`<p class="problem">${t('payment_sum', values)}</p>`}`;
}

// outcomeOf says what became of a payment, or what is to be done.
function outcomeOf(payment) {
  const { status, channel } = payment;
  if (isOpen(payment)) {
    const count = payment.order_numbers.length;
    return t(count > 1 ? 'pay_for' : 'pay', { count, amount: money(payment.amount, payment.currency) });
  }
  if (status === 'paid') return t('outcome_paid');
  if (status === 'refunded' || status === 'refunding') return t('outcome_refunded');
  if (status === 'pending') return t('pay_not_arrived');
  return t('pay_failed', { channel: channelName(channel) });
}
