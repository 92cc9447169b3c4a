// What units of a sale will cost, with the freight, before the buyer asks for them. The quote before the order is
// exact; this is computed from what the page knows.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';

// freightOf returns the freight of goods worth an amount, or undefined while the page doesn't know who sends them.
function freightOf({ fee, free_over: freeOver }, goods, { physical, by, from }) {
  if (!physical || by === 'pickup') return 0;
  if (!from) return undefined;
  return (freeOver > 0 && goods >= freeOver ? 0 : fee) + from.freight_extra;
}

// sumOf returns what units of a sku cost with the freight, or undefined while the page doesn't know who sends them.
export function sumOf(sku, quantity, delivery) {
  const goods = sku.flash_price * quantity;
  const freight = freightOf(sku.freight, goods, delivery);
  return freight === undefined ? undefined : goods + freight;
}

// costOf shows what a sku costs with the freight, as far as the page knows it.
export function costOf(sku, delivery) {
  const sum = sumOf(sku, 1, delivery);
  return totalOf(money(sum ?? sku.flash_price, sku.currency), sum !== undefined);
}

// Cost shows what units of a sku cost. total names the sum.
export function Cost({ sku, quantity, delivery, total: name = t('confirm_total') }) {
  const goods = sku.flash_price * quantity;
  const freight = freightOf(sku.freight, goods, delivery);
  const amount = (n) => money(n, sku.currency);
  const nowhere = delivery.from === null && freight === undefined;
  const unknown = nowhere ? '–' : t('freight_unknown'); // the button says why
  const total = nowhere ? '–' : totalOf(amount(goods + (freight ?? 0)), freight !== undefined);
  return html`<dl class="amounts" id="cost">
    <div><dt>${t('confirm_goods')}</dt><dd>${amount(goods)}</dd></div>
    ${
      delivery.physical &&
      delivery.by !== 'pickup' &&
      html`<div><dt>${t('confirm_freight')}</dt>
        <dd>${freight === undefined ? unknown : freightText(freight, sku.currency)}</dd></div>`
    }
    <div><dt>${name}</dt><dd>${total}</dd></div></dl>`;
}

// freightText shows a freight that is known.
export const freightText = (freight, currency) => (freight > 0 ? money(freight, currency) : t('freight_free'));

// totalOf shows what goods cost, to which the freight comes unless it is known and in the amount.
export const totalOf = (amount, known) => (known ? amount : t('total_and_freight', { amount }));
