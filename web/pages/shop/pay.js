// Paying an order.
import { html, useState } from '../vendor/preact-htm.js';
import { clock, money, t } from '../shared/texts.js';
import { msUntil } from '../shared/sale_figures.js';
import { Problem, Select } from '../shared/parts.js';
import { settings } from '../shared/settings.js';
import { Finish } from './finish.js';
import { Parts } from './payment_view.js';
import { begin, channelName, isOpen, isOpenForOne, pageOf, paymentsOf, useReturn } from './payment.js';

// The problems of a channel, which others don't have.
const ofChannel = ['gateway_unavailable', 'gateway_refused'];

// Pay pays an order, by its last payment if that is open. payments are the payments that were begun before, newest
// first.
export function Pay({ order, payments, reload }) {
  const [begun, setBegun] = useState();
  const known = payments.some((payment) => payment.pay_number === begun?.pay_number);
  const last = known ? payments[0] : (begun ?? payments[0]);
  const [chosen, choose] = useState();
  const [state, setState] = useState({});
  useReturn(() => {
    setState({});
    reload(); // the payment that was begun is one of those before
  });
  const left = msUntil(order.pay_before);
  const channel = chosen ?? settings.channels.find((name) => name === last?.channel) ?? settings.channels[0];
  const open = isOpenForOne(last) && left > 0 && (last.channel ?? channel) === channel ? last : undefined;
  const form = open && !pageOf(open); // here, or a code
  // An open payment may have been begun elsewhere, or by a request whose answer was lost.
  const goOn = async () => {
    const [fresh] = await paymentsOf(order.order_number);
    return isOpenForOne(fresh) && fresh.channel === channel ? fresh : undefined;
  };
  const pay = async (by = channel) => {
    if (state.busy) return;
    setState({ busy: true });
    try {
      const going = by === channel ? (open ?? (await goOn())) : undefined;
      const payment = going ?? (await begin([order.order_number], by));
      const page = pageOf(payment);
      if (page) return location.assign(page); // busy until this page is left
      setBegun(payment);
      setState({});
      reload();
    } catch (error) {
      setState({ error });
      reload();
    }
  };
  const amount = money(open?.amount ?? order.total_amount, order.currency);
  const together = isOpen(last) && last.order_numbers?.length > 1 && left > 0;
  const again = last && (last.status === 'closed' || last.pay_number !== begun?.pay_number);
  const label = together ? t('pay_alone') : t(again ? 'pay_again' : 'pay', { amount });
  return html`<section class="pay">
    ${left > 0 && html`<p class="muted">${t('pay_or_cancelled', { at: clock(order.pay_before) })}</p>`}
    ${left > 0 && last && !form && html`<${Last} payment=${last} />`}
    ${
      together &&
      html`<h2>${t('payment_orders')}</h2><${Parts} payment=${last} />
        <p class="pay"><a class="button go large" href="#/payment/${last.pay_number}">
        ${t('pay_for', { amount: money(last.amount, order.currency), count: last.order_numbers.length })}</a></p>`
    }
    ${
      settings.channels.length > 1 &&
      html`<label>${t('channel')}
      <${Select} value=${channel} options=${settings.channels.map((name) => [name, channelName(name)])}
        onChange=${(e) => choose(e.target.value)} /></label>`
    }
    ${form && html`<${Finish} payment=${open} amount=${amount} />`}
    <div class="row">
      ${
        settings.channels.length > 0 &&
        !form &&
        html`
        <button id="pay" class=${together ? 'quiet' : 'go large'} disabled=${left <= 0}
          title=${left <= 0 ? t('pay_closed') : undefined} aria-disabled=${state.busy ? 'true' : undefined}
          onClick=${() => pay()}>${label}</button>`
      }</div>
    <${Problem} error=${state.error} />
    ${
      ofChannel.includes(state.error?.code) &&
      html`<div class="row others">${settings.channels
        .filter((name) => name !== channel)
        .map(
          (name) =>
            html`<button key=${name} class="go" onClick=${() => {
              choose(name);
              pay(name);
            }}>${t('pay_with', { channel: channelName(name) })}</button>`,
        )}</div>`
    }</section>`;
}

// Last says what became of the last payment, whose order is not paid.
function Last({ payment }) {
  if (payment.status !== 'closed') return html`<p class="notice">${t('pay_not_arrived')}</p>`;
  return html`<p class="problem">${t('pay_failed', { channel: channelName(payment.channel) })}</p>`;
}
