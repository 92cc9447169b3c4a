// The basket: what is in it, what it costs, and its order, which is paid at once.
import { newKey } from '/assets/onrush.js';
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, problemText, t } from '../shared/texts.js';
import { call, server, useLoad } from '../shared/server.js';
import { settings } from '../shared/settings.js';
import { Picture, Problem, Select, toneOf } from '../shared/parts.js';
import { Delivery, useDelivery } from './delivery.js';
import { Remark } from './extras.js';
import { forgetKey, keyOf, useBasket, writeBasket } from './kept_basket.js';
import { isPhone } from './pay.js';
import { Stepper } from './stepper.js';

const most = 9999; // units of a sku

export function Basket() {
  const items = useBasket();
  if (items.length > 0) return html`<h1>${t('basket_title')}</h1><${Filled} items=${items} />`;
  return html`<h1>${t('basket_title')}</h1>
    <div class="empty"><p>${t('basket_none')}</p><a class="button" href="#/goods">${t('basket_goods')}</a></div>`;
}

// useGoods reads the skus of items: by id, or undefined until they are read.
function useGoods(items) {
  const ids = items.map((item) => item.sku_id);
  const read = (id) => call('GET', `/skus/${encodeURIComponent(id)}`).catch(() => undefined);
  const { value } = useLoad(async () => {
    const found = await Promise.all(ids.map(read));
    return Object.fromEntries(found.filter(Boolean).map((sku) => [sku.sku_id, sku]));
  }, ids);
  return value ?? {};
}

// useQuotes reads what an order of a body would cost, and why it can't be placed.
function useQuotes(body, ready) {
  const [state, set] = useState({});
  const wanted = JSON.stringify(body);
  useEffect(() => {
    let current = true;
    const say = (next) => current && set(next);
    if (ready) {
      const failed = (error) => say({ error });
      call('POST', '/orders/confirm', { body }).then((read) => say({ ...read, wanted }), failed);
    } else set({});
    return () => {
      current = false;
    };
  }, [wanted, ready]);
  return { ...state, known: ready && state.wanted === wanted };
}

/**
 * place places the orders of a basket, once.
 *
 * @param {any} body
 * @returns {Promise<any>}
 */
const place = (body) => server.retried('POST', '/orders', { body, key: keyOf(newKey) });

/**
 * pay begins the payment of orders, and goes to its page; where there is none, to the order, which says how to pay.
 *
 * @param {any[]} orders
 * @param {string} [channel]
 */
async function pay(orders, channel) {
  const numbers = orders.map((order) => order.order_number);
  const view = numbers.length === 1 ? `#/order/${numbers[0]}` : '#/orders';
  const backTo = settings.return_url ? `${location.origin}/${view}` : undefined;
  const asked = channel && server.pay({ orders: numbers, channel, return_url: backTo });
  const { redirect_url: page, params } = (await asked?.catch(() => null))?.next ?? {};
  const to = (isPhone() && params?.wap_url) || page;
  if (to) location.assign(to);
  else location.hash = view;
}

function Filled({ items }) {
  const goods = useGoods(items);
  const delivery = useDelivery(items.some((item) => item.kind === 'physical') ? 'physical' : 'virtual');
  const [remark, setRemark] = useState('');
  const [channel, setChannel] = useState(settings.channels[0]);
  const [state, setState] = useState({});
  const { delivery: by, addressId, pickupPointId } = delivery.choice;
  const body = {
    items: items.map(({ sku_id, quantity }) => ({ sku_id, quantity })),
    delivery: by,
    address_id: addressId,
    pickup_point_id: pickupPointId,
  };
  const quotes = useQuotes(body, delivery.ready);
  const order = async () => {
    if (state.busy) return;
    setState({ busy: true });
    try {
      const made = await place({ ...body, remark: remark.trim() || undefined });
      await pay(made.orders, channel);
      writeBasket([]);
    } catch (error) {
      setState({ error });
    }
  };
  const write = (text) => {
    forgetKey();
    setRemark(text);
  };
  const reason = reasonOf(delivery, quotes.problems);
  return html`<${Lines} items=${items} goods=${goods} problems=${quotes.problems ?? []} />
    <${Delivery} delivery=${delivery} /><${Remark} value=${remark} change=${write} />
    ${
      settings.channels.length > 1 &&
      html`<label>${t('channel')}<${Select} id="channel" value=${channel}
        options=${settings.channels.map((name) => [name, name])}
        onChange=${(e) => setChannel(e.target.value)} /></label>`
    }
    <${Sum} items=${items} goods=${goods} quotes=${quotes.known ? quotes.quotes : []} physical=${delivery.physical} />
    <${Problem} error=${state.error ?? quotes.error} />
    <button id="order" class="go large" disabled=${Boolean(reason)} aria-disabled=${state.busy ? 'true' : undefined}
      aria-describedby="order-reason" onClick=${order}>${t('basket_order')}</button>
    <p class="muted" id="order-reason">${reason || t('basket_order_help')}</p>`;
}

// reasonOf says why the basket can't be ordered, or nothing.
function reasonOf({ ready, by }, problems = []) {
  if (!ready) return t(by === 'express' ? 'basket_needs_address' : 'basket_needs_point');
  return problems.length > 0 ? t('basket_needs_change') : '';
}

function Lines({ items, goods, problems }) {
  const set = (id, quantity) => writeBasket(items.map((item) => (item.sku_id === id ? { ...item, quantity } : item)));
  const remove = (id) => writeBasket(items.filter((item) => item.sku_id !== id));
  return html`<ul class="list">${items.map(
    (item) => html`<${Line} key=${item.sku_id} item=${item} sku=${goods[item.sku_id]}
      problem=${problems.find((p) => p.sku_id === item.sku_id)} change=${(n) => set(item.sku_id, n)}
      remove=${() => remove(item.sku_id)} />`,
  )}</ul>`;
}

function Line({ item, sku, problem, change, remove }) {
  return html`<li class="card basket-line">
    <${Picture} url=${sku?.image_url} title=${item.title} tone=${toneOf(item.sku_id)} />
    <span class="what"><b>${sku?.title ?? item.title}</b>
      ${sku && html`<br /><span class="muted">${t('basket_each', { price: money(sku.price, sku.currency) })}</span>`}
      ${problem && html`<span class="bad" role="alert"><br />${wrongOf(problem, item)}</span>`}</span>
    <${Stepper} value=${item.quantity} most=${most} change=${change}
      label=${t('basket_units', { title: item.title })} />
    <b class="line-total">${sku && money(sku.price * item.quantity, sku.currency)}</b>
    <button type="button" class="quiet remove" aria-label=${t('basket_remove', { title: item.title })}
      onClick=${remove}>${t('remove')}</button></li>`;
}

// wrongOf says why units of an item can't be ordered.
function wrongOf({ code, detail }, { quantity }) {
  if (code === 'sold_out') return quantity > 1 ? t('basket_fewer', { quantity }) : t('sold_out');
  return code === 'not_found' ? t('basket_gone') : problemText({ code, message: detail });
}

// Sum shows what all goods cost, with the freight once it is known. Each shop has its own order.
function Sum({ items, goods, quotes, physical }) {
  const priced = quotes.length > 0 ? quotes : Object.values(goods);
  const currencies = new Set(priced.map((each) => each.currency));
  return html`${quotes.length > 1 && html`<p class="notice">${t('basket_orders', { count: quotes.length })}</p>`}
    ${[...currencies].map((currency) => {
      const of = quotes.filter((q) => q.currency === currency);
      const sum = (name) => of.reduce((total, q) => total + q[name], 0);
      const worth = ({ sku_id: id, quantity }) => (goods[id]?.currency === currency ? goods[id].price * quantity : 0);
      const inBasket = items.reduce((total, item) => total + worth(item), 0);
      const [goodsAmount, total] = of.length > 0 ? [sum('goods_amount'), sum('total_amount')] : [inBasket, inBasket];
      const freight = of.length > 0 ? money(sum('freight_amount'), currency) : t('basket_freight_unknown');
      return html`<dl class="amounts"><div><dt>${t('confirm_goods')}</dt><dd>${money(goodsAmount, currency)}</dd></div>
        ${physical && html`<div><dt>${t('confirm_freight')}</dt><dd>${freight}</dd></div>`}
        <div><dt>${t('confirm_total')}</dt><dd>${money(total, currency)}</dd></div></dl>`;
    })}`;
}
