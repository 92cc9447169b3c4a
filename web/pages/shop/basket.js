// The basket: its goods, their price, and its order, which is paid at once.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, problemText, t } from '../shared/texts.js';
import { call, server, useLoad } from '../shared/server.js';
import { unitsOf } from '../shared/sale_figures.js';
import { settings } from '../shared/settings.js';
import { Loading, Picture, Problem, Select } from '../shared/parts.js';
import { freightText, totalOf } from './cost.js';
import { Delivery, useDelivery } from './delivery.js';
import { inWords } from './demo_words.js';
import { Empty } from './empty.js';
import { Note, Required, useExtras } from './extras.js';
import { forgetKey, orderOnce, useBasket, writeBasket } from './kept_basket.js';
import { begin, channelName, pageOf, useReturn } from './payment.js';
import { Stepper } from './stepper.js';

const most = 9999; // units of a sku

export function Basket() {
  const items = useBasket();
  const [ordered, setOrdered] = useState(false); // and the page goes on to the payment
  useReturn(() => setOrdered(false));
  const none = html`<${Empty} icon="basket" text=${t('basket_none')}>
    <a class="button go" href="#/goods">${t('basket_goods')}</a><//>`;
  const filled = html`<${Filled} items=${items} ordered=${() => setOrdered(true)} />`;
  const paying = html`<${Loading} />`;
  return html`<section class="column"><h1>${t('basket_title')}</h1>${
    (ordered && paying) || (items.length > 0 ? filled : none)
  }</section>`;
}

// useGoods reads the skus of items: by id, null where one is not sold any more.
function useGoods(items) {
  const ids = items.map((item) => item.sku_id);
  const read = (id) =>
    call('GET', `/skus/${encodeURIComponent(id)}`).then(inWords, (error) => {
      if (error.code !== 'not_found') throw error;
      return null;
    });
  return useLoad(async () => Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await read(id)]))), ids);
}

// useQuotes reads what an order of a body would cost, and why it can't be placed.
function useQuotes(body, ready) {
  const [state, set] = useState({});
  const [turn, again] = useState(0);
  const wanted = JSON.stringify(body);
  useEffect(() => {
    const stop = new AbortController();
    const say = (next) => !stop.signal.aborted && set({ ...next, wanted });
    if (ready) {
      server.retried('POST', '/orders/confirm', { body, signal: stop.signal }).then(say, (error) => say({ error }));
    }
    return () => stop.abort();
  }, [wanted, ready, turn]);
  const { quotes = [], problems = [], confirmation, error } = ready && state.wanted === wanted ? state : {};
  return { quotes, problems, confirmation, error, reload: () => again((n) => n + 1) };
}

/**
 * pay begins the payment of orders, and goes to its page. Without a page, the view of the order, or of the payment of
 * several orders, says how to pay.
 *
 * @param {any[]} orders
 * @param {string} [channel]
 */
async function pay(orders, channel) {
  const numbers = orders.map((order) => order.order_number);
  const payment = channel && (await begin(numbers, channel).catch(() => undefined)); // their views can begin another
  const page = payment && pageOf(payment);
  if (page) location.assign(page);
  else if (numbers.length === 1) location.hash = `#/order/${numbers[0]}`;
  else location.hash = payment ? `#/payment/${payment.pay_number}` : '#/orders';
}

function Filled({ items, ordered }) {
  const goods = useGoods(items);
  const delivery = useDelivery(items.some((item) => item.kind === 'physical') ? 'physical' : 'virtual');
  const skus = Object.values(goods.value ?? {});
  const extras = useExtras([...new Set(skus.flatMap((sku) => sku?.required_fields ?? []))]);
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
    if (extras.lacking) return extras.tell();
    setState({ busy: true });
    try {
      const { orders } = await orderOnce(items, async (key) => {
        const made = await server.retried('POST', '/orders', {
          body: { ...body, ...extras.choice, confirmation: quotes.confirmation },
          key,
        });
        ordered();
        return made;
      });
      await pay(orders, channel);
    } catch (error) {
      const before = error.code === 'idempotency_key_reused'; // with another address or remark
      if (before) forgetKey();
      if (error.code === 'price_changed') quotes.reload();
      setState(before ? { before } : { error });
    }
  };
  if (!goods.value) {
    return goods.error ? html`<${Problem} error=${goods.error} retry=${goods.reload} />` : html`<${Loading} />`;
  }
  const gone = items
    .filter((item) => goods.value[item.sku_id] === null)
    .map(({ sku_id }) => ({ sku_id, code: 'not_found' }));
  const problems = quotes.problems.length > 0 ? quotes.problems : gone;
  // What the page itself adds up may not be what the order costs.
  const [currency, another] = new Set(quotes.quotes.map((quote) => quote.currency));
  const sumOf = (name) => money(unitsOf(quotes.quotes, name), currency);
  const sum = currency && !another && sumOf('total_amount');
  const reason = reasonOf(delivery, problems) || (quotes.quotes.length === 0 ? t('step_confirm') : '');
  const sent = sum && unitsOf(quotes.quotes, 'freight_amount') > 0;
  const parts = () => t('goods_and_freight', { goods: sumOf('goods_amount'), freight: sumOf('freight_amount') });
  const next = sent ? t('basket_order_sum', { sum: parts() }) : t('basket_order_help');
  const help = extras.lacking ? t('basket_needs_fields') : next;
  return html`<${Lines} items=${items} goods=${goods.value} problems=${problems} />
    <${Problem} error=${goods.error} retry=${goods.reload} />
    <${Delivery} delivery=${delivery} /><${Required} extras=${extras} />
    <${Note} extras=${extras} />
    ${
      settings.channels.length > 1 &&
      html`<label>${t('channel')}<${Select} id="channel" value=${channel}
        options=${settings.channels.map((name) => [name, channelName(name)])}
        onChange=${(e) => setChannel(e.target.value)} /></label>`
    }
    <${Sum} items=${items} goods=${goods.value} quotes=${quotes.quotes} problems=${problems}
      sent=${delivery.physical && by !== 'pickup'} chosen=${delivery.ready} />
    <${Problem} error=${quotes.error} retry=${quotes.reload} />
    ${
      state.before &&
      html`<div class="problem" role="alert"><p>${t('basket_before')}</p>
        <a class="button" href="#/orders">${t('menu_orders')}</a></div>`
    }
    <div class="buy-bar"><${Problem} error=${state.error} />
      ${
        state.error?.code === 'too_many_unpaid_orders' &&
        html`<p><a href="#/orders?status=unpaid">${t('verdict_pay_all')}</a></p>`
      }
      <button id="order" class="go large" disabled=${Boolean(reason)} aria-disabled=${state.busy ? 'true' : undefined}
        aria-describedby="order-reason" onClick=${order}>
        ${sum && problems.length === 0 ? t('basket_order_for', { amount: sum }) : t('basket_order')}</button>
      <p class="muted why" id="order-reason">${reason || help}</p></div>`;
}

// reasonOf says why the basket can't be ordered, or nothing.
function reasonOf({ ready, by }, problems) {
  if (problems.length > 0) return t('basket_needs_change');
  return ready ? '' : t(by === 'express' ? 'basket_needs_address' : 'basket_needs_point');
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
    <${Picture} url=${sku?.image_url} title=${item.title} />
    <span class="what"><b>${sku?.title ?? item.title}</b>
      ${sku && html`<br /><span class="muted">${t('basket_each', { price: money(sku.price, sku.currency) })}</span>`}
      </span>
    ${
      sku &&
      html`<${Stepper} value=${item.quantity} most=${most} change=${change}
        label=${t('basket_units', { title: item.title })} />`
    }
    <b class="line-total">${sku && money(sku.price * item.quantity, sku.currency)}</b>
    <button type="button" class="remove ${problem?.code === 'not_found' ? '' : 'quiet'}"
      aria-label=${t('basket_remove', { title: item.title })}
      onClick=${remove}>${t('remove')}</button>
    ${problem && html`<p class="bad" role="alert">${wrongOf(problem, item)}</p>`}</li>`;
}

// wrongOf says why units of an item can't be ordered.
function wrongOf({ code, detail }, { quantity }) {
  if (code === 'sold_out') return quantity > 1 ? t('basket_fewer', { quantity }) : t('sold_out');
  return code === 'not_found' ? t('basket_gone') : problemText({ code, message: detail });
}

// Sum shows what all goods cost, with the freight once it is known. Each shop has its own order.
function Sum({ items, goods, quotes, sent, chosen, problems }) {
  const priced = quotes.length > 0 ? quotes : Object.values(goods).filter(Boolean);
  const currencies = new Set(priced.map((each) => each.currency));
  return html`${quotes.length > 1 && html`<p class="notice">${t('basket_orders', { count: quotes.length })}</p>`}
    ${[...currencies].map((currency) => {
      const of = quotes.filter((q) => q.currency === currency);
      const sum = (name) => of.reduce((total, q) => total + q[name], 0);
      const worth = ({ sku_id: id, quantity }) => (goods[id]?.currency === currency ? goods[id].price * quantity : 0);
      const inBasket = items.reduce((total, item) => total + worth(item), 0);
      const [goodsAmount, total] = of.length > 0 ? [sum('goods_amount'), sum('total_amount')] : [inBasket, inBasket];
      const unknown = problems.length > 0 || chosen ? '–' : t('freight_unknown');
      const freight = of.length > 0 ? freightText(sum('freight_amount'), currency) : unknown;
      return html`<dl class="amounts"><div><dt>${t('confirm_goods')}</dt><dd>${money(goodsAmount, currency)}</dd></div>
        ${sent && html`<div><dt>${t('confirm_freight')}</dt><dd>${freight}</dd></div>`}
        <div><dt>${t('confirm_total')}</dt><dd>${totalOf(money(total, currency), of.length > 0 || !sent)}</dd></div>
        </dl>`;
    })}`;
}
