// One order: its outcome, what it is, where it goes, and paying.
import { html, useEffect } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad, useTick } from '../shared/server.js';
import { Loading, Picture, Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { CancelButton } from './cancel.js';
import { freightText } from './cost.js';
import { follow } from './order_events.js';
import { inWords } from './demo_words.js';
import { Sign } from './sign.js';
import { Said } from './extras.js';
import { Facts, isPayable, outcomeOf, TimeLeft } from './order_facts.js';
import { Later } from './later.js';
import { Pay } from './pay.js';
import { isOpen, paymentsOf } from './payment.js';
import { addressOf } from './sales.js';

export function Order({ id }) {
  const {
    value: order,
    error,
    reload: again,
  } = useLoad(() => call('GET', `/orders/${encodeURIComponent(id)}`).then(inWords));
  const paid = useLoad(() => paymentsOf(encodeURIComponent(id))); // the order is shown without
  const reload = () => {
    again();
    paid.reload();
  };
  useEffect(() => follow(reload), []);
  useTick();
  if (!order) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const payments = paid.value ?? [];
  const amount = (n) => money(n, order.currency);
  const canBuyAgain = ['cancelled', 'failed'].includes(order.status);
  const bought = order.bundle ?? order.items[0];
  return html`<article class="card order">
    <${Sign} of=${signOf(order)} />
    <div role="status"><h1 class="outcome">${phrased(outcomeOf(order))}</h1></div>
    ${isWon(order) && html`<${Won} item=${order.items[0]} />`}
    ${isPayable(order) && html`<${TimeLeft} order=${order} />`}
    ${['paid', 'cancelled'].includes(order.status) && html`<p class="after">${t(`after_${afterOf(order)}`)}</p>`}
    ${order.status === 'unpaid' && html`<${Pay} order=${order} payments=${payments} reload=${reload} />`}
    ${
      canBuyAgain &&
      html`<p class="row acts">${
        order.activity_id
          ? html`<a class="button go large" href=${addressOf(order.activity_id, bought.sku_id)}>${t('buy_again')}</a>`
          : html`<a class="button go large" href="#/goods">${t('basket_goods')}</a>`
      }</p>`
    }
    ${together(order, payments) && html`<h2>${t('order_this')}</h2>`}
    ${order.bundle && html`<p class="bundle"><b>${named(order.bundle)}</b></p>`}
    <ul class="items">${order.items.map((item) => html`<${Item} item=${item} amount=${amount} />`)}</ul>
    <dl class="amounts ${order.status === 'cancelled' ? 'unowed' : ''}">
      ${
        order.address &&
        html`<div><dt>${t('confirm_freight')}</dt>
          <dd>${freightText(order.freight_amount, order.currency)}</dd></div>`
      }
      <div><dt>${t('confirm_total')}</dt><dd>${amount(order.total_amount)}</dd></div>
    </dl>
    ${order.refunded_amount > 0 && html`<p>${t('refunded_part', { amount: amount(order.refunded_amount) })}</p>`}
    <${Way} order=${order} />
    <${Facts} order=${order} payments=${payments} />
    <${Said} order=${order} />
    <p class="row actions"><a class="button quiet" href="#/orders">${t('back_orders')}</a>
      ${
        order.paid_at &&
        html`<button type="button" id="print" class="quiet" onClick=${() => print()}>${t('print')}</button>
        <a class="button quiet" href="#/">${t('first_page')}</a>`
      }<${Later} name="Readdress" silent order=${order} done=${reload} />
      <${Later} name="Swap" silent order=${order} done=${reload} />
      ${order.status === 'unpaid' && html`<${CancelButton} order=${order} done=${reload} />`}</p></article>`;
}

// isWon reports whether the units of an order of a sale are kept until they are paid.
const isWon = (order) => Boolean(order.activity_id) && isPayable(order);

// together reports whether an order is being paid with others, which are listed above it.
const together = ({ status }, [last]) => status === 'unpaid' && isOpen(last) && last.order_numbers?.length > 1;

// signOf returns the sign of an order: won or paid, in time to be paid, or over.
function signOf(order) {
  if (order.status === 'paid' || isWon(order)) return 'done';
  return isPayable(order) ? 'due' : 'over';
}

const named = ({ title, quantity }) => `${title} × ${quantity}`;

// Won shows what the buyer got in a sale, as large as the sale showed it. The items below name it.
function Won({ item: { image_url: url, title } }) {
  return url && html`<div class="won"><${Picture} url=${url} title=${title} /></div>`;
}

// afterOf says what comes after the payment of an order, or after it was cancelled.
function afterOf(order) {
  if (order.status === 'cancelled') return 'cancelled';
  if (order.items.some((item) => item.voucher_codes?.length)) return 'voucher';
  if (order.items.some((item) => item.vouchers_waiting > 0)) return 'waits';
  if (order.fulfilment) return `${order.pickup_point_id ? 'pickup_' : ''}${order.fulfilment.state}`;
  if (order.pickup_point_id) return 'pickup';
  return order.address ? 'sent' : 'nothing';
}

function Item({ item, amount }) {
  return html`<li><${Picture} url=${item.image_url} title=${item.title} />
    <span class="grow">${named(item)}</span>
    <span>${amount(item.price * item.quantity)}</span>
    ${item.voucher_codes?.map((code) => html`<${Later} name="VoucherCode" key=${code} code=${code} />`)}
    ${item.vouchers_waiting > 0 && html`<p class="voucher step">${t('voucher_waits')}</p>`}</li>`;
}

// Way shows how far an order is: submitted, stored, to pay or paid, or how it ended.
function Way({ order }) {
  const stored = order.source === 'sql';
  const over = ['cancelled', 'refunded', 'failed'].includes(order.status);
  const last = over ? order.status : isPayable(order) ? 'due' : 'paid';
  const steps = [
    ['submitted', true],
    ['stored', stored],
    [last, order.status !== 'unpaid'],
    ...(order.fulfilment ? [[order.fulfilment.state, true]] : []),
  ];
  return html`<ol class="way" aria-label=${t('order_line')}>${steps.map(
    ([name, done]) => html`
    <li class="${done ? 'done' : ''} ${name}" aria-current=${done ? 'step' : undefined}>
      ${t(`line_${name}`)}</li>`,
  )}</ol>`;
}
