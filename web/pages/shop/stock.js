// How much of the goods of a sale is left, is sold later, or is kept for certain buyers.
import { html } from '../vendor/preact-htm.js';
import { moment, number, t } from '../shared/texts.js';
import { StockBar } from '../shared/parts.js';

/**
 * @param {{ sku: any, none?: string, before?: boolean }} props none says why no unit can be had now, and is '' where
 *   another part says so; before is whether the sale has not started
 */
export function Stock({ sku, none, before }) {
  return html`${
    none === undefined
      ? html`<${StockBar} left=${sku.remaining} total=${sku.total} sold=${sku.sold_out} before=${before} />`
      : none && html`<p class="stock">${none}</p>`
  }
    ${
      sku.next_wave_at &&
      html`<p class="muted wave">
        ${t('next_wave', { units: number(sku.next_wave_units), at: moment(sku.next_wave_at) })}</p>`
    }
    ${sku.reserved > 0 && html`<p class="muted reserved">${t('units_reserved', { units: number(sku.reserved) })}</p>`}`;
}
