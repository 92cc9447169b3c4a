// The flash sales, with countdowns on the server's clock: running sales come first, ended sales last.
import { html } from '../vendor/preact-htm.js';
import { summary } from '../shared/description.js';
import { duration, money, percent, t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { clockOf, msUntil, unitsOf } from '../shared/sale_figures.js';
import { Loading, Picture, Problem, StockBar, toneOf } from '../shared/parts.js';
import { inWords } from './demo_words.js';

const mostOver = 6; // ended sales that are shown

export const isEnded = (sale) => sale.state === 'ended' || clockOf(sale).phase === 'ended';
export const isSoldOut = (sale) => sale.skus.every((sku) => sku.sold_out);

// pictureOf returns the picture of a sale, as the component takes it: its own, or the picture of its first goods.
export function pictureOf({ activity_id: id, image_url: url, skus, title }) {
  return { url: url || skus[0]?.image_url, title: skus[0]?.title || title, tone: toneOf(id) };
}

/**
 * addressOf returns the address of the view of a sale, with the goods that it shows chosen.
 *
 * @param {string} id
 * @param {string} [sku]
 */
export function addressOf(id, sku) {
  return `#/sale/${encodeURIComponent(id)}${sku ? `?sku=${encodeURIComponent(sku)}` : ''}`;
}

// StateBadge says when a sale begins or ends, or that nothing can be bought any more.
export function StateBadge({ sale }) {
  if (isEnded(sale)) return html`<span class="badge ended">${t('ended')}</span>`;
  const { phase, left } = clockOf(sale);
  const soldOut = phase === 'running' && isSoldOut(sale);
  return html`${soldOut && html`<span class="badge ended">${t('sold_out')}</span>${' '}`}
    <span class="badge ${soldOut ? 'ended' : phase}">${t(phase, { time: duration(left) })}</span>`;
}

// Price shows the price of a sale beside that outside of it, and by how much it is lower.
export function Price({ price, list, currency, from = false }) {
  const shown = money(price, currency);
  return html`<p class="price">${from ? t('from', { price: shown }) : shown}${
    list > price &&
    html` <s>${money(list, currency)}</s> <span class="off">${t('off', { percent: percent(1 - price / list) })}</span>`
  }</p>`;
}

export function Sales() {
  const { value, error, reload } = useEvery(5000, async () => {
    const list = await call('GET', '/activities?page_size=50');
    know(list.items[0]?.server_time);
    return inWords(list);
  });
  useTick();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const sales = value.items.filter((sale) => !isEnded(sale));
  const of = (phase) => sales.filter((sale) => clockOf(sale).phase === phase);
  const running = of('running').sort((a, b) => msUntil(a.ends_at) - msUntil(b.ends_at));
  const open = running.filter((sale) => !isSoldOut(sale));
  const coming = of('upcoming').sort((a, b) => msUntil(a.starts_at) - msUntil(b.starts_at));
  const ended = value.items.filter(isEnded).sort((a, b) => msUntil(b.ends_at) - msUntil(a.ends_at));
  const over = [...running.filter(isSoldOut), ...ended.slice(0, mostOver)];
  return html`<${Hero} short=${open.length > 0} />
    ${
      sales.length === 0 &&
      html`<div class="empty"><p>${t('sales_none')}</p>
      <a class="button" href="#/goods">${t('basket_goods')}</a></div>`
    }
    <${Group} title="sales_running" sales=${open} lead />
    <${Group} title="sales_coming" sales=${coming} lead=${open.length === 0} />
    <${Group} title="sales_over" sales=${over} />`;
}

// Hero says to somebody who knows nothing what this is, and how it works: in a line where a sale runs.
function Hero({ short }) {
  return html`<section class="hero"><h1>${t('hero_title')}</h1>
    <p class="muted">${t(short ? 'hero_short' : 'hero_lead')}</p>
    ${
      !short &&
      html`<ol class="how">${['wait', 'buy', 'pay'].map(
        (step) => html`<li><b>${t(`how_${step}`)}</b> <span>${t(`how_${step}_help`)}</span></li>`,
      )}</ol>`
    }</section>`;
}

// Group shows sales as cards; with lead, the first one is large and has the button.
function Group({ title, sales, lead = false }) {
  if (sales.length === 0) return null;
  return html`<h2 class="sales-group">${t(title)}</h2>
    <ul class="cards">${sales.map(
      (sale, i) => html`<li key=${sale.activity_id} class=${lead && i === 0 ? 'lead' : ''}>
        <${Card} sale=${sale} lead=${lead && i === 0} /></li>`,
    )}</ul>`;
}

// LowestPrice shows the price of the cheapest goods of a sale that can be had, or of all when nothing is left.
export function LowestPrice({ sale }) {
  const left = sale.skus.filter((sku) => !sku.sold_out);
  const skus = left.length > 0 ? left : sale.skus;
  const cheapest = skus.reduce((a, b) => (b.flash_price < a.flash_price ? b : a));
  return html`<${Price} price=${cheapest.flash_price} list=${cheapest.list_price} currency=${cheapest.currency}
    from=${skus.some((sku) => sku.flash_price > cheapest.flash_price)} />`;
}

function Card({ sale, lead }) {
  const past = isEnded(sale) || isSoldOut(sale);
  return html`<a class="card sale ${past ? 'past' : ''}" href=${addressOf(sale.activity_id)}>
    <${Picture} ...${pictureOf(sale)} />
    <div class="what"><p class="states"><${StateBadge} sale=${sale} /></p>
      <h3>${sale.title}</h3>
      ${lead && sale.description && html`<p class="muted clamp">${summary(sale.description)}</p>`}
      <${LowestPrice} sale=${sale} />
      ${!isEnded(sale) && html`<${Left} sale=${sale} />`}
      ${lead && html`<span class="button go large">${t('lead_go')}</span>`}</div></a>`;
}

// Left shows how many units of a sale are left, or within which time some may come back.
function Left({ sale }) {
  const back = sale.skus.filter((sku) => sku.unpaid_pending).map((sku) => sku.back_within_s);
  if (isSoldOut(sale) && back.length > 0) {
    return html`<p class="stock">${t('card_back', { time: duration(Math.min(...back) * 1000) })}</p>`;
  }
  const known = sale.skus.every((sku) => sku.remaining !== undefined);
  const left = known ? unitsOf(sale.skus, 'remaining') : undefined;
  return html`<${StockBar} left=${left} total=${unitsOf(sale.skus, 'total')} sold=${isSoldOut(sale)} />`;
}
