// The flash sales, with countdowns on the server's clock.
import { html } from '../shared/preact-htm.js';
import { duration, money, t } from '../shared/texts.js';
import { call, know, now, useEvery, useTick } from '../shared/server.js';
import { Loading, Picture, Problem, StockBar, toneOf } from '../shared/parts.js';

// countdown says when a sale begins or ends.
export function countdown(sale) {
  const [starts, ends] = [Date.parse(sale.starts_at), Date.parse(sale.ends_at)];
  if (sale.state === 'ended' || now() >= ends) return t('ended');
  return now() < starts ? t('upcoming', { time: duration(starts - now()) }) : t('running', { time: duration(ends - now()) });
}

export function Sales() {
  const { value, error, reload } = useEvery(5000, async () => {
    const list = await call('GET', '/activities?page_size=50');
    know(list.items[0]?.server_time);
    return list;
  });
  useTick();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const sales = value.items.filter((sale) => sale.state !== 'ended');
  return html`<h1>${t('sales_title')}</h1>
    ${sales.length === 0 && html`<p class="empty">${t('sales_none')}</p>`}
    <ul class="cards">${sales.map((sale) => html`<li key=${sale.activity_id}><${Card} sale=${sale} /></li>`)}</ul>`;
}

function Card({ sale }) {
  const cheapest = sale.skus.reduce((a, b) => (b.flash_price < a.flash_price ? b : a));
  const total = sale.skus.reduce((sum, sku) => sum + sku.total, 0);
  const left = sale.skus.every((sku) => sku.remaining !== undefined) ?
    sale.skus.reduce((sum, sku) => sum + sku.remaining, 0) : undefined;
  return html`<a class="card sale" href="#/sale/${sale.activity_id}">
    <${Picture} url=${sale.image_url} title=${sale.title} tone=${toneOf(sale.activity_id)} />
    <span class="badge ${sale.state}">${countdown(sale)}</span>
    <h2>${sale.title}</h2>
    <p class="price">${t('from', { price: money(cheapest.flash_price, cheapest.currency) })}
      <s>${money(cheapest.list_price, cheapest.currency)}</s></p>
    <${StockBar} left=${left} total=${total} sold=${sale.skus.every((sku) => sku.sold_out)} />
  </a>`;
}
