// Paying an order, or cancelling it.
import { html, useState } from '../vendor/preact-htm.js';
import { has, money, t } from '../shared/texts.js';
import { call, server } from '../shared/server.js';
import { msUntil } from '../shared/sale_figures.js';
import { Problem, Select } from '../shared/parts.js';
import { settings } from '../shared/settings.js';
import { QR } from './qr.js';
import { StripeForm } from './stripe.js';

const kept = (order) => `payment:${order}`; // the last payment of an order that this browser began

const keep = (order, payment) => localStorage.setItem(kept(order), payment ?? '');

// begun returns the number of the payment of an order that this browser began last, or null.
export const begun = (order) => localStorage.getItem(kept(order));

// channelName returns the name of a way to pay.
export const channelName = (channel) => (has(`channel_${channel}`) ? t(`channel_${channel}`) : channel);

// isPhone reports whether the browser is that of a phone, as far as it says so.
export const isPhone = () => navigator.userAgentData?.mobile ?? /Mobi|Android|iPhone/.test(navigator.userAgent);

export function Pay({ order, reload }) {
  const [channel, setChannel] = useState(settings.channels[0]);
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState('');
  const [form, setForm] = useState();
  const left = msUntil(order.pay_before);
  const pay = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const payment = await server.pay({
        orders: [order.order_number],
        channel,
        return_url: settings.return_url ? `${location.origin}/#/order/${order.order_number}` : undefined,
      });
      keep(order.order_number, payment.pay_number);
      const { redirect_url: page, params } = payment.next ?? {};
      const to = (isPhone() && params?.wap_url) || page; // Alipay has a page of its own for phones
      if (to) location.assign(to);
      else if (params?.code_url) setCode(params.code_url);
      else if (params?.client_secret && settings.stripe) setForm(params);
      else if (payment.status === 'pending') setError({ code: '', message: t('pay_form_missing') });
      reload();
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  const cancel = () => {
    if (confirm(t('cancel_sure'))) call('POST', `/orders/${order.order_number}/cancel`).then(reload, setError);
  };
  const label = t(begun(order.order_number) && !form ? 'pay_again' : 'pay', {
    amount: money(order.total_amount, order.currency),
  });
  return html`<section class="pay">
    ${left > 0 && html`<p class="muted">${t('pay_or_cancelled')}</p>`}
    ${left > 0 && !code && !form && begun(order.order_number) && html`<p class="notice">${t('pay_not_arrived')}</p>`}
    ${
      settings.channels.length > 1 &&
      html`<label>${t('channel')}
      <${Select} value=${channel} options=${settings.channels.map((name) => [name, channelName(name)])}
        onChange=${(e) => setChannel(e.target.value)} /></label>`
    }
    <div class="row">
      ${
        settings.channels.length > 0 &&
        !form &&
        html`
        <button id="pay" class="go large" disabled=${busy || left <= 0} onClick=${pay}>${label}</button>`
      }
      <button id="cancel" class="quiet" onClick=${cancel}>${t('cancel_order')}</button></div>
    ${form && html`<${StripeForm} params=${form} label=${label} />`}
    ${code && html`<p>${t('pay_scan')}</p><${QR} text=${code} />`}
    <${Problem} error=${error} /></section>`;
}
