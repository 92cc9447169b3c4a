// Goods that are sold outside of sales, a page at a time.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { summary } from '../shared/description.js';
import { money, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Loading, Picture, Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { inWords } from './demo_words.js';
import { Empty } from './empty.js';
import { add } from './kept_basket.js';

// useSKUs reads skus, and the next page by more, which is absent after the last one.
function useSKUs() {
  const [list, set] = useState({ items: [] });
  const read = async () => {
    set({ ...list, busy: true });
    try {
      const after = list.next ? `&after=${encodeURIComponent(list.next)}` : '';
      const page = inWords(await call('GET', `/skus?page_size=100${after}`));
      set({ items: [...list.items, ...page.items], next: page.next_cursor, read: true });
    } catch (error) {
      set({ ...list, error });
    }
  };
  useEffect(() => {
    read();
  }, []);
  return { ...list, more: read };
}

export function Goods() {
  const { items, next, read, busy, error, more } = useSKUs();
  const [added, say] = useState(); // the sku that was added last
  if (!read) return error ? html`<${Problem} error=${error} retry=${more} />` : html`<${Loading} />`;
  const put = (sku) => {
    add(sku);
    say(sku);
  };
  return html`<h1>${t('goods_title')}</h1><p aria-live="polite" class="added ${added ? 'card' : ''}">${
    added && html`${added.title}: ${t('added')} <a class="button" href="#/basket">${t('basket_go')}</a>`
  }</p>
    ${items.length === 0 && html`<${Empty} icon="goods" text=${t('goods_none')} />`}
    <ul class="cards goods">${items.map(
      (sku) => html`<li class="card" key=${sku.sku_id}>
      <${Picture} url=${sku.image_url} title=${sku.title} />
      <h2>${phrased(sku.title)}</h2>
      ${sku.description && html`<p class="muted clamp">${summary(sku.description)}</p>`}
      <p class="price">${money(sku.price, sku.currency)}</p>
      <button class="add" disabled=${!sku.in_stock} onClick=${() => put(sku)}>
        ${sku.in_stock ? t('add') : t('sold_out')}</button>
    </li>`,
    )}</ul>
    <${Problem} error=${error} />
    ${
      next &&
      html`<p class="row more-goods"><button id="more-goods" aria-disabled=${busy ? 'true' : undefined}
        onClick=${() => busy || more()}>${t('goods_more')}</button></p>`
    }`;
}
