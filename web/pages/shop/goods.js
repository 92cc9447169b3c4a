// Goods that are sold outside of sales, and the basket.
import { newKey } from '/assets/onrush.js';
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, server, useLoad } from '../shared/server.js';
import { Loading, Picture, Problem, toneOf } from '../shared/parts.js';
import { Delivery, useDelivery } from './delivery.js';
import { Remark } from './extras.js';

const kept = 'basket';

function readBasket() {
  try {
    return JSON.parse(localStorage.getItem(kept)) ?? [];
  } catch {
    return [];
  }
}

function writeBasket(items) {
  localStorage.setItem(kept, JSON.stringify(items));
  sessionStorage.removeItem('basket-key'); // other items are another order
}

export function Goods() {
  const { value, error, reload } = useLoad(() => call('GET', '/skus?page_size=100'));
  const [said, say] = useState('');
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const add = (sku) => {
    const items = readBasket();
    const item = items.find((i) => i.sku_id === sku.sku_id);
    if (item) item.quantity++;
    else items.push({ sku_id: sku.sku_id, title: sku.title, kind: sku.kind, quantity: 1 });
    writeBasket(items);
    say(`${sku.title}: ${t('added')}`);
  };
  return html`<h1>${t('goods_title')}</h1><p aria-live="polite" class="muted">${said}</p>
    ${value.items.length === 0 && html`<p class="empty">${t('goods_none')}</p>`}
    <ul class="cards">${value.items.map(
      (sku) => html`<li class="card" key=${sku.sku_id}>
      <${Picture} url=${sku.image_url} title=${sku.title} tone=${toneOf(sku.sku_id)} />
      <h2>${sku.title}</h2><p class="price">${money(sku.price, sku.currency)}</p>
      <button class="go" disabled=${!sku.in_stock} onClick=${() => add(sku)}>
        ${sku.in_stock ? t('add') : t('sold_out')}</button>
    </li>`,
    )}</ul>`;
}

export function Basket() {
  const [items, setItems] = useState(readBasket());
  const delivery = useDelivery(items.some((i) => i.kind === 'physical') ? 'physical' : 'virtual');
  const [remark, setRemark] = useState('');
  const [quotes, setQuotes] = useState();
  const [error, setError] = useState();
  const change = (next) => {
    writeBasket(next);
    setItems(next);
  };
  const { delivery: by, addressId, pickupPointId } = delivery.choice;
  const body = {
    items: items.map(({ sku_id, quantity }) => ({ sku_id, quantity })),
    delivery: by,
    address_id: addressId,
    pickup_point_id: pickupPointId,
  };
  useEffect(() => {
    setError(undefined);
    if (items.length > 0 && delivery.ready) call('POST', '/orders/confirm', { body }).then(setQuotes, setError);
  }, [JSON.stringify(body), delivery.ready]);
  if (items.length === 0) return html`<h1>${t('basket_title')}</h1><p class="empty">${t('basket_none')}</p>`;
  const order = async () => {
    const key = sessionStorage.getItem('basket-key') ?? newKey();
    const said = remark.trim() && { remark: remark.trim() };
    sessionStorage.setItem('basket-key', key); // a second click or a reload doesn't order twice
    try {
      await server.retried('POST', '/orders', { body: { ...body, ...said }, key });
      change([]);
      location.hash = '#/orders';
    } catch (failed) {
      setError(failed);
    }
  };
  const set = (i, quantity) => change(items.map((item, j) => (j === i ? { ...item, quantity } : item)));
  return html`<h1>${t('basket_title')}</h1>
    <ul class="list">${items.map(
      (item, i) => html`<li class="card row" key=${item.sku_id}>
      <b class="grow">${item.title}</b>
      <label><span class="hidden">${t('quantity')}</span><input type="number" min="1" max="9999" value=${item.quantity}
        onChange=${(e) => set(i, Math.max(1, Number(e.target.value) || 1))} /></label>
      <button class="quiet" onClick=${() => change(items.filter((_, j) => j !== i))}>${t('remove')}</button>
    </li>`,
    )}</ul>
    <${Delivery} delivery=${delivery} />
    <${Remark} value=${remark} change=${(text) => {
      sessionStorage.removeItem('basket-key');
      setRemark(text);
    }} />
    ${quotes?.problems.map((p) => html`<p class="problem" role="alert">${p.sku_id}: ${p.detail}</p>`)}
    ${quotes?.quotes.map(
      (q) => html`<p>${t('freight', { amount: money(q.freight_amount, q.currency) })}  ·
      <b>${t('total', { amount: money(q.total_amount, q.currency) })}</b></p>`,
    )}
    <${Problem} error=${error} />
    <button id="order" class="go large" disabled=${!delivery.ready || quotes?.problems.length > 0} onClick=${order}>
      ${t('order_now')}</button>`;
}
