// Goods that are sold outside of sales.
import { html, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Picture, Problem, toneOf } from '../shared/parts.js';
import { add } from './kept_basket.js';

export function Goods() {
  const { value, error, reload } = useLoad(() => call('GET', '/skus?page_size=100'));
  const [added, say] = useState('');
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const put = (sku) => {
    add(sku);
    say(sku.title);
  };
  return html`<h1>${t('goods_title')}</h1><p aria-live="polite" class="muted">${
    added && html`${added}: ${t('added')} <a href="#/basket">${t('basket_go')}</a>`
  }</p>
    ${value.items.length === 0 && html`<p class="empty">${t('goods_none')}</p>`}
    <ul class="cards">${value.items.map(
      (sku) => html`<li class="card" key=${sku.sku_id}>
      <${Picture} url=${sku.image_url} title=${sku.title} tone=${toneOf(sku.sku_id)} />
      <h2>${sku.title}</h2><p class="price">${money(sku.price, sku.currency)}</p>
      <button class="go" disabled=${!sku.in_stock} onClick=${() => put(sku)}>
        ${sku.in_stock ? t('add') : t('sold_out')}</button>
    </li>`,
    )}</ul>`;
}
