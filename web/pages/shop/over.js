// What stands in the place of buying where nothing can be bought any more: why, and what the buyer does now.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { isEnded } from '../shared/sale_card.js';
import { hopes } from './button.js';
import { addressOf } from './sales.js';

/**
 * overIn says why no units of goods can be bought in a sale any more: reason_ended, reason_sold_out, or
 * reason_sold_out_others where other goods are left. It is undefined while they can, or may come back.
 *
 * @param {any} sale
 * @param {any[]} skus the goods
 */
export function overIn(sale, skus) {
  if (isEnded(sale)) return 'reason_ended';
  const gone = (sku) => sku.sold_out && !hopes(sale, sku);
  if (!skus.every(gone)) return undefined;
  return sale.skus.every(gone) ? 'reason_sold_out' : 'reason_sold_out_others';
}

/**
 * @param {{ sale: any, reason: string, title?: string, note?: string }} props reason is that of overIn; title may say
 *   it otherwise, and note is what it means for the buyer
 */
export function Over({ sale, reason, title = t(reason), note = '' }) {
  const others = reason === 'reason_sold_out_others';
  return html`<div class="over notice"><h2>${title}</h2>
    ${note && html`<p>${note}</p>`}
    <p class="row acts">${
      others
        ? html`<a class="button go large" href=${addressOf(sale.activity_id)}>${t('wait_back')}</a>`
        : html`<a class="button go large" href="#/">${t('first_page')}</a>`
    }
      <a class="button quiet" href="#/orders">${t('menu_orders')}</a></p></div>`;
}
