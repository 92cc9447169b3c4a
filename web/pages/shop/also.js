// What else goes into the order, in a sale whose orders may take several skus.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Picture } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { Price } from '../shared/sale_card.js';
import { pending } from './kept_purchase.js';
import { Stepper } from './stepper.js';
import { Stock } from './stock.js';

// isGone reports whether no unit of a sku is left, nor one that is reserved for some buyers.
const isGone = (sku) => sku.sold_out && !sku.reserved;

// useAlso returns the other skus that the buyer adds to a chosen one, as lines of the order with it, and put, which
// sets the units of one; 0 takes it out. At first they are those of a purchase that is under way. most says how many
// units of a sku can be had: less is whether the buyer chose more of one, and wanted are all skus that the buyer chose,
// each with its units.
export function useAlso(sale, chosen, quantity, most) {
  const [units, set] = useState(() => {
    const lines = pending(sale.activity_id, chosen.sku_id)?.choice?.lines ?? [];
    return Object.fromEntries(lines.map((line) => [line.sku, line.quantity]));
  });
  const others = sale.skus.filter((s) => s.sku_id !== chosen.sku_id && s.kind === chosen.kind && !s.parts);
  const offered = sale.basket_max && !chosen.parts ? others : [];
  const unitsOf = (sku) => Math.min(units[sku.sku_id] ?? 0, most(sku));
  const also = offered.filter((s) => units[s.sku_id] && !isGone(s)).slice(0, (sale.basket_max ?? 1) - 1);
  return {
    offered,
    also,
    wanted: offered.filter((s) => units[s.sku_id]).map((s) => [s, units[s.sku_id]]),
    full: also.length + 1 >= (sale.basket_max ?? 1),
    unitsOf,
    less: also.some((s) => unitsOf(s) < units[s.sku_id]),
    put: (sku, n) => set((old) => ({ ...old, [sku.sku_id]: n })),
    before: sale.state === 'upcoming',
    lines: also.length > 0 && [
      { sku: chosen.sku_id, quantity },
      ...also.map((s) => ({ sku: s.sku_id, quantity: unitsOf(s) })),
    ],
  };
}

// whole is a chosen sku as if it were all goods of the order: for what they cost, and what they require.
export function whole(sku, quantity, { also, unitsOf }) {
  const goods = also.reduce((sum, s) => sum + s.flash_price * unitsOf(s), sku.flash_price * quantity);
  const fees = [sku, ...also].map((s) => s.freight).filter((f) => !(f.free_over > 0 && goods >= f.free_over));
  return {
    ...sku,
    flash_price: goods,
    freight: { fee: Math.max(0, ...fees.map((f) => f.fee)), free_over: 0 },
    required_fields: [...new Set([sku, ...also].flatMap((s) => s.required_fields ?? []))],
  };
}

// Also lets the buyer add the other skus.
export function Also({ basket, most, change }) {
  const { offered, unitsOf, full } = basket;
  if (offered.length === 0) return null;
  const put = (sku, n) => {
    change();
    basket.put(sku, n);
  };
  const help = html`<p class="muted">${t('also_help')}</p>`;
  return html`<fieldset class="skus also"><legend>${t('also')}</legend>${help}${offered.map((s) => {
    const units = isGone(s) ? 0 : unitsOf(s);
    return html`<div class="sku ${units ? 'chosen' : ''} ${isGone(s) ? 'gone' : ''}" key=${s.sku_id}>
        <input type="checkbox" id=${`also-${s.sku_id}`} checked=${units > 0} disabled=${isGone(s) || (full && !units)}
          onChange=${(e) => put(s, e.target.checked ? 1 : 0)} />
        <${Picture} url=${s.image_url} title=${s.title} />
        <label class="name" for=${`also-${s.sku_id}`}>${phrased(s.title)}</label>
        <${Price} price=${s.flash_price} list=${s.list_price} currency=${s.currency} />
        <${Stock} sku=${s} before=${basket.before} />
        ${
          units > 0 &&
          html`<${Stepper} value=${units} most=${most(s)} label=${`${t('quantity')}: ${s.title}`}
          change=${(n) => put(s, n)} />`
        }</div>`;
  })}</fieldset>`;
}
