// What an order costs, before it is placed.
import { html } from '../vendor/preact-htm.js';
import { money, roughly, t } from '../shared/texts.js';
import { broken } from '../shared/phrases.js';
import { addressLine, Dialog, Picture } from '../shared/parts.js';
import { freightText } from './cost.js';
import { inWords } from './demo_words.js';
import { PickupAt } from './points.js';

const named = (item) => `${item.title} × ${item.quantity}`;

/**
 * Confirm shows a quote and how many seconds the buyer then has to pay, and answers whether the order is placed. notice
 * is what the buyer must know of it.
 *
 * @param {{ quote: any, answer: (yes: boolean) => void, payWithinS: number, notice?: string }} props
 */
export function Confirm({ quote: quoted, answer, payWithinS, notice }) {
  const quote = inWords(quoted);
  const url = quote.items[0].image_url;
  const line = (name, amount) => html`<div><dt>${t(name)}</dt><dd>${amount}</dd></div>`;
  const amount = (n) => money(n, quote.currency);
  return html`<${Dialog} title=${t('confirm_title')} close=${() => answer(false)} stays>
    ${notice && html`<p class="notice">${notice}</p>`}
    <div class="bought-line">${url && html`<${Picture} url=${url} title=${quote.items[0].title} />`}
      <b>${(quote.bundle ? [quote.bundle] : quote.items).map(named).join(', ')}</b></div>
    ${quote.bundle && html`<p class="muted">${quote.items.map(named).join(', ')}</p>`}
    ${quote.address && html`<p class="muted">${addressLine(quote.address)}</p>`}
    ${quote.delivery === 'pickup' && html`<${PickupAt} id=${quote.point_id} />`}
    <dl class="amounts">${line('confirm_goods', amount(quote.goods_amount))}
      ${quote.address && line('confirm_freight', freightText(quote.freight_amount, quote.currency))}
      ${line('confirm_total', amount(quote.total_amount))}</dl>
    <p id="pay-within" class="phrases">${broken(t('confirm_pay', { time: roughly(payWithinS * 1000) }))}</p>
    <div class="row acts">
      <button type="button" id="place" class="go large" onClick=${() => answer(true)}>${t('confirm_place')}</button>
      <button type="button" class="quiet" onClick=${() => answer(false)}>${t('cancel')}</button></div>
  <//>`;
}
