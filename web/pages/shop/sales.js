// The flash sales, with countdowns on the server's clock.
import { html } from '../vendor/preact-htm.js';
import { duration, money, t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { clockOf, msUntil, unitsOf } from '../shared/sale_figures.js';
import { Loading, Picture, Problem, StockBar, toneOf } from '../shared/parts.js';

// countdown says when a sale begins or ends.
export function countdown(sale) {
  const { phase, left } = clockOf(sale);
  if (sale.state === 'ended' || phase === 'ended') return t('ended');
  return phase === 'upcoming' ? t('upcoming', { time: duration(left) }) : t('running', { time: duration(left) });
}

export function Sales() {
  const { value, error, reload } = useEvery(5000, async () => {
    const list = await call('GET', '/activities?page_size=50');
    know(list.items[0]?.server_time);
    return list;
  });
  useTick();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const sales = value.items.filter((sale) => sale.state !== 'ended' && clockOf(sale).phase !== 'ended');
  const of = (phase) => sales.filter((sale) => clockOf(sale).phase === phase);
  const running = of('running').sort((a, b) => msUntil(a.ends_at) - msUntil(b.ends_at));
  const coming = of('upcoming').sort((a, b) => msUntil(a.starts_at) - msUntil(b.starts_at));
  return html`<${Hero} running=${running[0]} coming=${coming[0]} />
    ${sales.length === 0 && html`<p class="empty">${t('sales_none')}</p>`}
    <${Group} title="sales_running" sales=${running} /><${Group} title="sales_coming" sales=${coming} />`;
}

// Hero says to somebody who knows nothing what this is, how it works, and where to begin.
function Hero({ running, coming }) {
  const first = running ?? coming;
  return html`<section class="hero"><h1>${t('hero_title')}</h1><p>${t('hero_lead')}</p>
    <ol class="how">${['wait', 'buy', 'pay'].map(
      (step) => html`<li><b>${t(`how_${step}`)}</b> <span>${t(`how_${step}_help`)}</span></li>`,
    )}</ol>
    ${
      first &&
      html`<a class="button go large" href="#/sale/${encodeURIComponent(first.activity_id)}">
        ${t(running ? 'hero_running' : 'hero_coming')}</a>`
    }</section>`;
}

function Group({ title, sales }) {
  if (sales.length === 0) return null;
  return html`<h2 class="sales-group">${t(title)}</h2>
    <ul class="cards">${sales.map((sale) => html`<li key=${sale.activity_id}><${Card} sale=${sale} /></li>`)}</ul>`;
}

function Card({ sale }) {
  const cheapest = sale.skus.reduce((a, b) => (b.flash_price < a.flash_price ? b : a));
  const known = sale.skus.every((sku) => sku.remaining !== undefined);
  const left = known ? unitsOf(sale.skus, 'remaining') : undefined;
  return html`<a class="card sale" href="#/sale/${sale.activity_id}">
    <${Picture} url=${sale.image_url} title=${sale.title} tone=${toneOf(sale.activity_id)} />
    <span class="badge ${sale.state}">${countdown(sale)}</span>
    <h3>${sale.title}</h3>
    <p class="price">${t('from', { price: money(cheapest.flash_price, cheapest.currency) })}
      <s>${money(cheapest.list_price, cheapest.currency)}</s></p>
    <${StockBar} left=${left} total=${unitsOf(sale.skus, 'total')}
      sold=${sale.skus.every((sku) => sku.sold_out)} />
  </a>`;
}
