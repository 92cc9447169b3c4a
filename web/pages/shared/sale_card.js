// A sale as buyers see it among others: its picture, when it begins or ends, its price, and how much is left. The
// console shows the very same of a sale that is not saved yet.
import { html } from '../vendor/preact-htm.js';
import { summary } from './description.js';
import { duration, money, off, roughly, t } from './texts.js';
import { phrased } from './phrases.js';
import { clockOf, unitsOf } from './sale_figures.js';
import { Picture, StockBar } from './parts.js';

export const isEnded = (sale) => sale.state === 'ended' || clockOf(sale).phase === 'ended';
export const isSoldOut = (sale) => sale.skus.every((sku) => sku.sold_out && !sku.reserved);

// pictureOf returns the picture of a sale, as the component takes it: its own, or the picture of its first goods.
export function pictureOf({ image_url: url, skus, title }) {
  return { url: url || skus[0]?.image_url, title: skus[0]?.title || title };
}

// isHeld reports whether a running sale takes no orders for now.
export const isHeld = (sale) => clockOf(sale).phase === 'running' && Boolean(sale.stopped || sale.paused);

// hurryOf says how soon a sale ends of which ms are left: ends, soon in the last ten minutes, last in the last one.
function hurryOf(left) {
  if (left < 60_000) return 'last';
  return left < 600_000 ? 'soon' : 'ends';
}

// StateBadge says when a sale begins or ends, or that nothing can be bought now or any more.
export function StateBadge({ sale }) {
  if (isEnded(sale)) return html`<span class="badge ended">${t('ended')}</span>`;
  const { phase, left } = clockOf(sale);
  if (isHeld(sale)) return html`<span class="badge held">${t(sale.stopped ? 'badge_stopped' : 'badge_paused')}</span>`;
  const hurry = phase === 'running' ? hurryOf(left) : phase;
  const said = phase === 'upcoming' && sale.mode === 'draw' ? 'entries_close' : phase;
  const soldOut = phase === 'running' && isSoldOut(sale);
  return html`${soldOut && html`<span class="badge ended">${t('sold_out')}</span>${' '}`}
    <span class=${soldOut ? 'muted' : `badge ${hurry}`}>${t(said, { time: duration(left) })}</span>`;
}

// Price shows the price of a sale beside that outside of it, and by how much it is lower.
export function Price({ price, list, currency, from = false }) {
  const shown = money(price, currency);
  return html`<p class="price">${from ? t('from', { price: shown }) : shown}${
    list > price && html` <s>${money(list, currency)}</s> <span class="off">${off(price / list)}</span>`
  }</p>`;
}

// LowestPrice shows the price of the cheapest goods of a sale that can be had, or of all when nothing is left.
export function LowestPrice({ sale }) {
  const left = sale.skus.filter((sku) => !sku.sold_out);
  const skus = left.length > 0 ? left : sale.skus;
  if (skus.length === 0) return null;
  const cheapest = skus.reduce((a, b) => (b.flash_price < a.flash_price ? b : a));
  return html`<${Price} price=${cheapest.flash_price} list=${cheapest.list_price} currency=${cheapest.currency}
    from=${skus.some((sku) => sku.flash_price > cheapest.flash_price)} />`;
}

/**
 * Card is a sale as the first page shows it, which leads to href. With lead it is large and has the red button.
 *
 * @param {{ sale: any, lead?: boolean, href?: string }} props
 */
export function Card({ sale, lead = false, href }) {
  const past = isEnded(sale) || isSoldOut(sale);
  return html`<a class="card sale ${past ? 'past' : ''} ${isHeld(sale) ? 'held' : ''}" href=${href}>
    <${Picture} ...${pictureOf(sale)} />
    <div class="what"><p class="states"><${StateBadge} sale=${sale} /></p>
      <h3>${phrased(sale.title)}</h3>
      ${lead && sale.description && html`<p class="muted clamp">${summary(sale.description)}</p>`}
      <${LowestPrice} sale=${sale} />
      ${!isEnded(sale) && html`<${Left} sale=${sale} />`}
      ${(lead || !past) && html`<${Go} lead=${lead} sells=${clockOf(sale).phase === 'running' && !isHeld(sale)} />`}
    </div></a>`;
}

// Go leads to a sale: with the same words and the same look to all that sell.
function Go({ lead, sells }) {
  const kind = lead ? 'go large' : sells ? 'go' : 'quiet';
  return html`<span class="button ${kind}">${t(sells ? 'lead_go' : 'card_go')}</span>`;
}

// Left shows how many units of a sale are left, or within which time some may come back.
function Left({ sale }) {
  const back = sale.skus.filter((sku) => sku.unpaid_pending).map((sku) => sku.back_within_s);
  if (isSoldOut(sale) && back.length > 0) {
    return html`<p class="stock">${t('card_back', { time: roughly(Math.min(...back) * 1000) })}</p>`;
  }
  const known = sale.skus.every((sku) => sku.remaining !== undefined);
  const left = known ? unitsOf(sale.skus, 'remaining') : undefined;
  return html`<${StockBar} left=${left} total=${unitsOf(sale.skus, 'total')} sold=${isSoldOut(sale)} />`;
}
