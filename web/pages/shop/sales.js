// The flash sales, with countdowns on the server's clock: running sales come first, ended sales last.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { Card, isEnded, isSoldOut } from '../shared/sale_card.js';
import { clockOf, msUntil } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { inWords } from './demo_words.js';
import { Empty } from './empty.js';

const mostOver = 6; // ended sales that are shown

/**
 * addressOf returns the address of the view of a sale, with the goods that it shows chosen.
 *
 * @param {string} id
 * @param {string} [sku]
 */
export function addressOf(id, sku) {
  return `#/sale/${encodeURIComponent(id)}${sku ? `?sku=${encodeURIComponent(sku)}` : ''}`;
}

export function Sales() {
  const { value, error, reload } = useEvery(5000, async () => {
    const list = await call('GET', '/activities?page_size=50');
    know(list.items[0]?.server_time);
    return inWords(list);
  });
  useTick();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const sales = value.items.filter((sale) => !isEnded(sale));
  const of = (phase) => sales.filter((sale) => clockOf(sale).phase === phase);
  const running = of('running').sort((a, b) => msUntil(a.ends_at) - msUntil(b.ends_at));
  const open = running.filter((sale) => !isSoldOut(sale));
  const coming = of('upcoming').sort((a, b) => msUntil(a.starts_at) - msUntil(b.starts_at));
  const ended = value.items.filter(isEnded).sort((a, b) => msUntil(b.ends_at) - msUntil(a.ends_at));
  const over = [...running.filter(isSoldOut), ...ended.slice(0, mostOver)];
  return html`<${Hero} brief=${open.length > 0} />
    ${
      sales.length === 0 &&
      html`<${Empty} icon="sales" text=${t('sales_none')}>
      <a class="button" href="#/goods">${t('basket_goods')}</a><//>`
    }
    <${Group} title="sales_running" sales=${open} lead />
    <${Group} title="sales_coming" sales=${coming} lead=${open.length === 0} coming />
    <${Group} title="sales_over" sales=${over} />`;
}

// Hero says to somebody who knows nothing what this is, and how it works. Where a sale runs, that shows it.
function Hero({ brief }) {
  if (brief) return html`<h1 class="hidden">${t('hero_brief')}</h1>`;
  return html`<section class="hero"><h1>${phrased(t('hero_title'))}</h1>
    <p class="muted">${t('hero_lead')}</p>
    <ol class="how">${['wait', 'buy', 'pay'].map(
      (step) => html`<li><b>${t(`how_${step}`)}</b> <span>${t(`how_${step}_help`)}</span></li>`,
    )}</ol></section>`;
}

// Group shows sales as cards; with lead, the first one is large and has the button. Sales that come lead to their
// reminder.
function Group({ title, sales, lead = false, coming = false }) {
  if (sales.length === 0) return null;
  const card = (sale, i) => {
    const first = lead && i === 0;
    const href = `${addressOf(sale.activity_id)}${coming && !first ? '?remind' : ''}`;
    return html`<li key=${sale.activity_id} class=${first ? 'lead' : ''}>
      <${Card} sale=${sale} lead=${first} href=${href} /></li>`;
  };
  return html`<h2 class="sales-group">${t(title)}</h2>
    <ul class="cards ${{ 1: 'single', 2: 'pair' }[sales.length - Number(lead)] ?? ''}">${sales.map(card)}</ul>`;
}
