// What units of a sale will cost, with the freight, before the buyer asks for them. The quote before the order is
// exact; this is computed from what the page knows.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { normal } from './region.js';

// freightOf returns the freight of goods worth an amount, or undefined while the page doesn't know where they go.
function freightOf({ fee, free_over: freeOver }, goods, { physical, by, to, points }) {
  if (!physical || by === 'pickup') return 0;
  if (!to || !points) return undefined;
  const serving = points.find(({ regions }) => regions.some((region) => normal(region) === normal(to.region)));
  const from = serving ?? points.find(({ point_id: id }) => id === '0');
  return (freeOver > 0 && goods >= freeOver ? 0 : fee) + (from?.freight_extra ?? 0);
}

export function Cost({ sku, quantity, delivery }) {
  const goods = sku.flash_price * quantity;
  const freight = freightOf(sku.freight, goods, delivery);
  const known = freight !== undefined;
  const amount = (n) => money(n, sku.currency);
  return html`<dl class="amounts" id="cost">
    <div><dt>${t('confirm_goods')}</dt><dd>${amount(goods)}</dd></div>
    ${
      delivery.physical &&
      html`<div><dt>${t('confirm_freight')}</dt><dd>${known ? amount(freight) : t('freight_unknown')}</dd></div>`
    }
    <div><dt>${t('confirm_total')}</dt><dd>${amount(goods + (freight ?? 0))}</dd></div></dl>`;
}
