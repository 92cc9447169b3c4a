// The skus of a sale, with their prices, limits and stock at the points.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { Field } from './parts.js';
import { currencyOf, emptySku, priceOf } from './edit_form.js';

export function Skus({ form, change, skus, points, draft, started }) {
  const set = (i, more) => change({ skus: form.skus.map((sku, k) => (k === i ? { ...sku, ...more } : sku)) });
  const unused = skus.filter((sku) => !form.skus.some((used) => used.sku_id === sku.sku_id));
  const choose = (i, id) => set(i, { sku_id: id, flash_price: priceOf(id, skus) }); // the other sku had another price
  const add = () => change({ skus: [...form.skus, emptySku(unused[0], points)] });
  const remove = (i) => change({ skus: form.skus.filter((_, k) => k !== i) });
  return html`<section class="card"><h2>${t('edit_skus')}</h2>
    ${skus.length === 0 && html`<p class="empty">${t('edit_no_skus')} <a href="#/goods">${t('menu_goods')}</a></p>`}
    ${!draft && html`<p class="muted">${t('edit_stock_live')}</p>`}
    ${form.skus.map(
      (sku, i) => html`<fieldset key=${i} class="edit-sku">
      <legend class="hidden">${t('sku')} ${sku.sku_id}</legend>
      <div class="columns">
        <${Field} label=${t('sku')} name="sku-${i}" value=${sku.sku_id} disabled=${!draft}
          onChange=${(e) => choose(i, e.target.value)}
          options=${choices(sku.sku_id, skus, unused, 'sku_id', 'title')} />
        <${Field} label=${t('flash_price')} name="price-${i}" type="number" min="0" required value=${sku.flash_price}
          disabled=${started} help=${listPrice(sku.sku_id, skus)}
          onInput=${(e) => set(i, { flash_price: e.target.value })} />
        <${Field} label=${t('sku_limit')} name="limit-${i}" type="number" min="1" value=${sku.purchase_limit}
          help=${t('none_if_empty')} onInput=${(e) => set(i, { purchase_limit: e.target.value })} /></div>
      ${draft && html`<${Stock} sku=${sku} i=${i} set=${(stock) => set(i, { stock })} points=${points} />`}
      ${draft && form.skus.length > 1 && html`<${Button} text=${t('remove_sku')} press=${() => remove(i)} />`}
    </fieldset>`,
    )}
    ${draft && unused.length > 0 && html`<${Button} text=${t('add_sku')} press=${add} />`}</section>`;
}

function Button({ text, press }) {
  return html`<button type="button" class="quiet" onClick=${press}>${text}</button>`;
}

// choices are the options of a select that has chosen: it and what is unused, each at its place in all.
function choices(chosen, all, unused, id, name) {
  const offered = all.filter((item) => item[id] === chosen || unused.includes(item));
  const options = offered.map((item) => [item[id], item[name]]);
  return options.some(([code]) => code === chosen) ? options : [[chosen, chosen], ...options];
}

function listPrice(id, skus) {
  const sku = skus.find((s) => s.sku_id === id);
  return sku ? t('list_price_is', { price: money(sku.price, currencyOf(id, skus)) }) : '';
}

function Stock({ sku, i, set, points }) {
  const change = (k, more) => set(sku.stock.map((stock, n) => (n === k ? { ...stock, ...more } : stock)));
  const unused = points.filter((point) => !sku.stock.some((stock) => stock.point_id === point.point_id));
  const remove = (k) => set(sku.stock.filter((_, n) => n !== k));
  const add = () => set([...sku.stock, { point_id: unused[0].point_id, quantity: 0 }]);
  return html`<div class="stock-rows">${sku.stock.map(
    (stock, k) => html`<div class="row" key=${k}>
      <${Field} label=${t('point')} name="point-${i}-${k}" value=${stock.point_id}
        onChange=${(e) => change(k, { point_id: e.target.value })}
        options=${choices(stock.point_id, points, unused, 'point_id', 'name')} />
      <${Field} label=${t('units')} name="units-${i}-${k}" type="number" min="0" required value=${stock.quantity}
        onInput=${(e) => change(k, { quantity: e.target.value })} />
      ${sku.stock.length > 1 && html`<${Button} text=${t('remove_point')} press=${() => remove(k)} />`}
    </div>`,
  )}
    ${unused.length > 0 && html`<${Button} text=${t('add_point')} press=${add} />`}</div>`;
}
