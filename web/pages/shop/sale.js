// One sale, and the form that buys in it.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { duration, money, t } from '../shared/texts.js';
import { call, know, state, useEvery, useTick } from '../shared/server.js';
import { addressLine, Dialog, Loading, Picture, Problem, StockBar, toneOf } from '../shared/parts.js';
import { settings } from '../shared/settings.js';
import { Crowd } from '../shared/crowd.js';
import { countdown } from './sales.js';
import { Delivery, useDelivery } from './delivery.js';
import { Extras, useExtras } from './extras.js';
import { shared, source } from './source.js';
import { useBuying } from './buying.js';
import { forget, pending } from './purchase.js';

export function Sale({ id }) {
  const {
    value: sale,
    error,
    reload,
  } = useEvery(2000, async () => {
    const read = await call('GET', `/activities/${encodeURIComponent(id)}`);
    know(read.server_time);
    return read;
  });
  useTick();
  if (!sale) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const pictures = [sale.image_url, ...(sale.images ?? [])].filter(Boolean);
  return html`<article class="sale-page">
    <div class="pictures"><${Picture} url=${pictures[0]} title=${sale.title} tone=${toneOf(sale.activity_id)} />
      ${
        pictures.length > 1 &&
        html`<div class="thumbs">${pictures.slice(1).map(
          (url) => html`
        <img src=${url} alt="" loading="lazy" />`,
        )}</div>`
      }</div>
    <div class="about">
      <span class="badge ${sale.state}">${countdown(sale)}</span>
      <h1>${sale.title}</h1>
      ${sale.description && html`<p class="description">${sale.description}</p>`}
      <p class="tags">
        ${sale.purchase_limit > 0 && html`<span>${t('sale_limit', { limit: sale.purchase_limit })}</span>`}
        ${sale.waiting_room && html`<span>${t('waiting_room')}</span>`}
        ${sale.human_check !== 'none' && html`<span>${t('human_check')}</span>`}
        <span>${t('pay_within', { time: duration(sale.pay_within_s * 1000) })}</span></p>
      <${Purchase} sale=${sale} />
      <${Share} sale=${sale} />
    </div>
    ${settings.dev_tokens && html`<${Crowd} activity=${sale.activity_id} />`}</article>`;
}

// Share copies a link to the sale.
function Share({ sale }) {
  const [copied, say] = useState('');
  const link = shared(sale.activity_id, state.user);
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => say(t('share_copied')),
      () => say(link),
    );
  return html`<p class="row"><button type="button" id="share" class="quiet" data-link=${link} onClick=${copy}>
    ${t('share')}</button><span class="muted" aria-live="polite">${copied}</span></p>`;
}

// hopes says whether units of a sku that is sold out may come back, and until when that is known.
function hopes(sale, sku) {
  return sku.sold_out && sku.unpaid_pending && sale.state === 'running';
}

// offer is the text of the button that buys a sku.
function offer(sku, hope) {
  if (hope) return t('buy_back');
  return sku.sold_out ? t('sold_out') : t('buy');
}

// most returns how many units of a sku the buyer may choose.
function most(sale, sku) {
  const limits = [sku.purchase_limit, sale.purchase_limit].filter((limit) => limit > 0);
  return Math.max(1, Math.min(9999, sku.remaining || 9999, ...limits));
}

function Purchase({ sale }) {
  const kept = sale.skus.find((sku) => pending(sale.activity_id, sku.sku_id)?.choice);
  const [skuID, setSKU] = useState((kept ?? sale.skus.find((sku) => !sku.sold_out) ?? sale.skus[0]).sku_id);
  const sku = sale.skus.find((s) => s.sku_id === skuID);
  const [wanted, setWanted] = useState(kept ? pending(sale.activity_id, kept.sku_id).quantity : 1);
  const quantity = Math.min(wanted, most(sale, sku));
  const delivery = useDelivery(sku.kind);
  const extras = useExtras();
  const buying = useBuying(sale, { ...delivery.choice, ...extras.choice, ...source() });
  const hope = hopes(sale, sku);

  useEffect(() => {
    if (kept) buying.resume(kept.sku_id);
  }, []); // the page was loaded again
  const choose = (id) => {
    forget(sale.activity_id, skuID);
    setSKU(id);
    setWanted(1);
  };
  const amount = (n) => setWanted(Math.max(1, Math.min(most(sale, sku), n)));
  return html`<form onSubmit=${(e) => {
    e.preventDefault();
    if (!buying.grey) buying.buy(sku, quantity);
  }}>
    <fieldset class="skus"><legend>${t('choose')}</legend>${sale.skus.map(
      (s) => html`
      <label class="sku ${s.sku_id === skuID ? 'chosen' : ''}">
        <input type="radio" name="sku" value=${s.sku_id} checked=${s.sku_id === skuID}
          onChange=${() => choose(s.sku_id)} />
        <span class="name">${s.title}</span>
        <span class="price">${money(s.flash_price, s.currency)} <s>${money(s.list_price, s.currency)}</s></span>
        <${StockBar} left=${s.remaining} total=${s.total} sold=${s.sold_out} />
        ${s.purchase_limit > 0 && html`<span class="muted">${t('limit', { limit: s.purchase_limit })}</span>`}
      </label>`,
    )}</fieldset>
    <div class="quantity"><label for="quantity">${t('quantity')}</label>
      <span class="stepper"><button type="button" aria-label=${t('less')} disabled=${quantity <= 1}
          onClick=${() => amount(quantity - 1)}>−</button>
        <input id="quantity" type="number" inputmode="numeric" min="1" max=${most(sale, sku)} value=${quantity}
          onChange=${(e) => amount(Number(e.target.value))} />
        <button type="button" aria-label=${t('more')} disabled=${quantity >= most(sale, sku)}
          onClick=${() => amount(quantity + 1)}>+</button></span></div>
    <${Delivery} delivery=${delivery} />
    <${Extras} extras=${extras} />
    ${hope && html`<p class="hope" role="timer">${t('back_within', { time: duration(sku.back_within_s * 1000) })}</p>`}
    <button id="buy" class="go large" aria-disabled=${buying.grey ? 'true' : undefined}
      disabled=${(sku.sold_out && !hope) || sale.state === 'ended' || !delivery.ready}>
      ${buying.grey ? t('buying') : offer(sku, hope)}</button>
    <div aria-live="polite">${buying.step && html`<p class="step">${buying.step}</p>`}
      <${Problem} error=${buying.error} /></div>
    ${buying.quote && html`<${Confirm} quote=${buying.quote} answer=${buying.answer} />`}
  </form>`;
}

function Confirm({ quote, answer }) {
  const line = (name, amount) => html`<div><dt>${t(name)}</dt><dd>${money(amount, quote.currency)}</dd></div>`;
  return html`<${Dialog} title=${t('confirm_title')} close=${() => answer(false)}>
    <p>${quote.items.map((item) => html`${item.title} × ${item.quantity} `)}</p>
    ${quote.address && html`<p class="muted">${addressLine(quote.address)}</p>`}
    <dl class="amounts">${line('confirm_goods', quote.goods_amount)}${line('confirm_freight', quote.freight_amount)}
      ${line('confirm_total', quote.total_amount)}</dl>
    <div class="row">
      <button type="button" id="place" class="go" onClick=${() => answer(true)}>${t('confirm_place')}</button>
      <button type="button" class="quiet" onClick=${() => answer(false)}>${t('cancel')}</button></div>
  <//>`;
}
