// A sale as buyers see it among others: its picture, when it begins or ends, its price, and how much is left. The
// console shows the very same of a sale that is not saved yet.
import { html } from '../vendor/preact-htm.js';
import { summary } from './description.js';
import { clock, duration, money, off, roughly, t } from './texts.js';
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

// StateBadge says when a sale begins or ends, or that nothing can be bought now or any more. What is sold out has no
// hurry.
export function StateBadge({ sale }) {
  if (isEnded(sale)) return html`<span class="badge ended">${t('ended')}</span>`;
  const { phase, left } = clockOf(sale);
  if (isHeld(sale)) return html`<span class="badge held">${t(sale.stopped ? 'badge_stopped' : 'badge_paused')}</span>`;
  if (phase === 'running' && isSoldOut(sale)) return html`<span class="badge ended">${t('sold_out')}</span>`;
  const hurry = phase === 'running' ? hurryOf(left) : phase;
  const said = phase === 'upcoming' && sale.mode === 'draw' ? 'entries_close' : phase;
  return html`<span class="badge ${hurry}">${t(said, { time: duration(left) })}</span>`;
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
    <div class="what"><p class="states"><${StateBadge} sale=${sale} />${
      clockOf(sale).phase === 'upcoming' && html`<span class="muted at">${clock(sale.starts_at)}</span>`
    }</p>
      <h3>${phrased(sale.title)}</h3>
      ${lead && sale.description && html`<p class="muted clamp">${summary(sale.description)}</p>`}
      <${LowestPrice} sale=${sale} />
      ${!isEnded(sale) && html`<${Left} sale=${sale} />`}
      ${(!past || backIn(sale)) && html`<${Go} sale=${sale} lead=${lead} past=${past} />`}
    </div></a>`;
}

// Go leads to a sale: with the same words and the same look to all that sell.
function Go({ sale, lead, past }) {
  if (past) return html`<span class="button quiet">${t('wait_unit')}</span>`;
  const { phase } = clockOf(sale);
  const sells = phase === 'running' && !isHeld(sale);
  const kind = lead ? 'go large' : sells ? 'go' : 'quiet';
  const label = phase === 'upcoming' && !lead ? 'card_remind' : 'card_go';
  return html`<span class="button ${kind}">${t(sells ? 'lead_go' : label)}</span>`;
}

// backIn returns within how many s units of a running sale that is sold out may come back: nothing if none can.
function backIn(sale) {
  const back = sale.skus.filter((sku) => sku.unpaid_pending).map((sku) => sku.back_within_s);
  return isSoldOut(sale) && !isEnded(sale) && back.length > 0 ? Math.min(...back) : undefined;
}

// Left shows how many units of a sale are left, or within which time some may come back.
function Left({ sale }) {
  const back = backIn(sale);
  if (back) return html`<p class="stock">${t('card_back', { time: roughly(back * 1000) })}</p>`;
  const known = sale.skus.every((sku) => sku.remaining !== undefined);
  const left = known ? unitsOf(sale.skus, 'remaining') : undefined;
  return html`<${StockBar} left=${left} total=${unitsOf(sale.skus, 'total')} sold=${isSoldOut(sale)}
    before=${clockOf(sale).phase === 'upcoming'} />`;
}
