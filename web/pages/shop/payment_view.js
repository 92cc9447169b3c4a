// A payment of several orders: how it is paid, and what became of it.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
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
  const label = t('pay', { amount: money(payment.amount, payment.currency) });
  const pay = () => {
    if (leaving) return;
    leave(true);
    location.assign(page);
  };
  return html`<article class="card order"><div role="status"><h1 class="outcome">${outcomeOf(payment)}</h1></div>
    ${
      page &&
      html`<p><button id="pay" class="go large" aria-disabled=${leaving ? 'true' : undefined} onClick=${pay}>
        ${label}</button></p>`
    }
    ${isOpen(payment) && !page && html`<${Finish} payment=${payment} label=${label} />`}
    <h2>${t('payment_orders')}</h2>
    <ul>${payment.order_numbers.map(
      (number) => html`<li key=${number}><a href="#/order/${number}">${number}</a></li>`,
    )}</ul>
    <p><a href="#/orders">${t('back_orders')}</a></p></article>`;
}

// outcomeOf says what became of a payment, or what is to be done.
function outcomeOf(payment) {
  const { status, amount, currency, channel } = payment;
  if (isOpen(payment)) return t('pay', { amount: money(amount, currency) });
  if (status === 'paid') return t('outcome_paid');
  if (status === 'refunded' || status === 'refunding') return t('outcome_refunded');
  if (status === 'pending') return t('pay_not_arrived');
  return t('pay_failed', { channel: channelName(channel) });
}
