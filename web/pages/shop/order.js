// One order: its way, paying and cancelling.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { duration, money, t, time } from '../shared/texts.js';
import { call, server, useLoad, useTick } from '../shared/server.js';
import { msUntil } from '../shared/sale_figures.js';
import { follow } from './order_events.js';
import { addressLine, Loading, Problem, Select } from '../shared/parts.js';
import { settings } from '../shared/settings.js';
import { Said } from './extras.js';
import { StripeForm } from './stripe.js';

export function Order({ id }) {
  const { value: order, error, reload } = useLoad(() => call('GET', `/orders/${encodeURIComponent(id)}`));
  useEffect(() => follow(reload), []);
  useTick();
  if (!order) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const amount = (n) => money(n, order.currency);
  return html`<article class="card order">
    <h1>${t('order', { number: order.order_number })}</h1>
    <p class="outcome" role="status">${t(`outcome_${order.status}`)}</p>
    <${Way} order=${order} />
    <ul class="items">${order.items.map(
      (item) => html`<li>
      <span>${item.title} × ${item.quantity}</span>
      <span>${amount(item.price * item.quantity)}</span>
      ${item.voucher_codes?.map((code) => html`<p class="voucher">${t('voucher')} <code>${code}</code></p>`)}
    </li>`,
    )}</ul>
    <dl class="amounts">
      <div><dt>${t('confirm_freight')}</dt><dd>${amount(order.freight_amount)}</dd></div>
      <div><dt>${t('confirm_total')}</dt><dd>${amount(order.total_amount)}</dd></div>
    </dl>
    ${order.address && html`<p class="muted">${addressLine(order.address)}</p>`}
    <${Said} order=${order} />
    <p class="muted">${t('placed')} ${time(order.placed_at)}</p>
    ${order.refunded_amount > 0 && html`<p>${t('refunded_part', { amount: amount(order.refunded_amount) })}</p>`}
    ${order.status === 'unpaid' && html`<${Pay} order=${order} reload=${reload} />`}
    <p><a href="#/orders">${t('back_orders')}</a></p></article>`;
}

// Way shows how far an order is: submitted, stored, paid, or how it ended.
function Way({ order }) {
  const stored = order.source === 'sql';
  const last = ['cancelled', 'refunded', 'failed'].includes(order.status) ? order.status : 'paid';
  const steps = [
    ['submitted', true],
    ['stored', stored],
    [last, order.status !== 'unpaid'],
  ];
  return html`<ol class="way" aria-label=${t('order_line')}>${steps.map(
    ([name, done]) => html`
    <li class="${done ? 'done' : ''} ${name}" aria-current=${done ? 'step' : undefined}>
      ${t(`line_${name}`)}</li>`,
  )}</ol>`;
}

// isPhone reports whether the browser is that of a phone, as far as it says so.
const isPhone = () => navigator.userAgentData?.mobile ?? /Mobi|Android|iPhone/.test(navigator.userAgent);

function Pay({ order, reload }) {
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
  const label = t('pay', { amount: money(order.total_amount, order.currency) });
  return html`<section class="pay">
    <p role="timer">${left > 0 ? t('pay_left', { time: duration(left) }) : t('pay_closed')}</p>
    ${
      settings.channels.length > 1 &&
      html`<label>${t('channel')}
      <${Select} value=${channel} options=${settings.channels.map((name) => [name, name])}
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

// QR draws a text as a QR code.
function QR({ text }) {
  const [path, setPath] = useState({ size: 0, d: '' });
  useEffect(() => {
    import('../vendor/qrcode.js').then(({ default: qrcode }) => {
      const code = qrcode(0, 'M');
      code.addData(text);
      code.make();
      const size = code.getModuleCount();
      let d = '';
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
          if (code.isDark(y, x)) d += `M${x + 4} ${y + 4}h1v1h-1z`;
        }
      }
      setPath({ size: size + 8, d });
    });
  }, [text]);
  return html`<svg class="qr" viewBox="0 0 ${path.size} ${path.size}" role="img" aria-label=${text}>
    <path d=${path.d} /></svg>`;
}
