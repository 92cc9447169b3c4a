// What buyers have paid for the units of sales. A price can't change after the start.
import { money } from '../shared/texts.js';
import { isBundle } from '../shared/sale_figures.js';

// revenueOf returns the sums of a sale by currency, or undefined where one is not known: how many units were paid alone
// and how many in bundles, at another price, only the report says.
export function revenueOf(sale, skus, stock) {
  if (sale.skus.some(isBundle)) return undefined;
  const sums = {};
  for (const { sku_id: id, paid } of stock) {
    const currency = skus.find((sku) => sku.sku_id === id)?.currency;
    const price = sale.skus.find((sku) => sku.sku_id === id)?.flash_price;
    if (currency === undefined || price === undefined || paid === undefined) return undefined;
    sums[currency] = (sums[currency] ?? 0) + paid * price;
  }
  return sums;
}

// sumsText shows sums by currency.
export const sumsText = (sums) =>
  Object.entries(sums)
    .map(([currency, amount]) => money(amount, currency))
    .join(' + ');
