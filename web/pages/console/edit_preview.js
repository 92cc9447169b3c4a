// How buyers will see a sale, before it is saved: its card, which is the shop's own, and what its page says more.
import { html, useState } from '../vendor/preact-htm.js';
import { Description } from '../shared/description.js';
import { t } from '../shared/texts.js';
import { useTick } from '../shared/server.js';
import { Dialog, Picture } from '../shared/parts.js';
import { Card, Price } from '../shared/sale_card.js';
import { isBundle } from '../shared/sale_figures.js';
import { pricedIn } from './edit_form.js';
import { toMinor } from './parts.js';
import { utc } from './sale_actions.js';

// unitsIn is how many of a sku the units in a form make: of a bundle, at each stock point those of its parts.
function unitsIn(form, { sku_id: id, parts = [] }) {
  const stocks = form.skus
    .filter((sku) => !isBundle(sku))
    .flatMap((sku) => sku.stock.map((s) => ({ of: sku.sku_id, at: s.point_id, units: Number(s.quantity) || 0 })));
  const at = (of, point) => stocks.find((s) => s.of === of && s.at === point)?.units ?? 0;
  const takes = parts.length > 0 ? parts : [{ sku_id: id, quantity: 1 }];
  const points = [...new Set(stocks.map((s) => s.at))];
  const made = (point) =>
    Math.min(...takes.map((take) => Math.floor(at(take.sku_id, point) / (Number(take.quantity) || 1))));
  return points.reduce((sum, point) => sum + made(point), 0);
}

// buyersSale is the sale in a form as the API gives it to buyers. Goods whose price is typed at the moment have none.
function buyersSale(form, skus) {
  const shown = form.skus.map((sku) => {
    const goods = skus.find((s) => s.sku_id === sku.sku_id);
    const currency = pricedIn(sku, skus);
    const units = unitsIn(form, sku);
    return {
      ...sku,
      title: goods?.title ?? sku.sku_id,
      image_url: goods?.image_url,
      flash_price: priceOf(sku.flash_price, currency),
      list_price: goods?.currency === currency ? goods.price : undefined,
      currency,
      total: units,
      remaining: units,
    };
  });
  return {
    activity_id: form.title,
    title: form.title || t('preview_untitled'),
    description: form.description,
    image_url: form.image_url,
    starts_at: utc(form.starts_at),
    ends_at: utc(form.ends_at),
    skus: shown,
  };
}

function priceOf(typed, currency) {
  try {
    return toMinor(typed, currency);
  } catch {
    return undefined;
  }
}

export function Preview({ form, skus }) {
  const [open, setOpen] = useState(false);
  return html`<button type="button" class="quiet" id="preview" onClick=${() => setOpen(true)}>${t('preview')}</button>
    ${
      open &&
      html`<${Dialog} title=${t('preview')} close=${() => setOpen(false)}>
      <p class="muted" tabindex="-1" autofocus>${t('preview_help')}</p>
      <${Shown} form=${form} sale=${buyersSale(form, skus)} />
      <button type="button" class="go" onClick=${() => setOpen(false)}>${t('close')}</button><//>`
    }`;
}

function Shown({ form, sale }) {
  useTick();
  const priced = sale.skus.filter((sku) => sku.flash_price !== undefined);
  return html`<div class="preview"><ul class="cards"><li class="lead">
      <${Card} sale=${{ ...sale, skus: priced }} lead /></li></ul>
    <h3>${t('preview_page')}</h3>
    ${sale.description && html`<${Description} text=${sale.description} />`}
    <ul class="list skus">${sale.skus.map((sku) => html`<li><${Sku} sku=${sku} /></li>`)}</ul>
    <p class="tags">
      ${Number(form.purchase_limit) > 0 && html`<span>${t('preview_limit', { limit: form.purchase_limit })}</span>`}
      ${Number(form.paths_per_second) > 0 && html`<span>${t('room')}</span>`}
      ${form.human_check !== 'none' && html`<span>${t('human_check')}</span>`}
      ${form.segments && html`<span>${t('preview_segments')}</span>`}
      <span>${t('preview_pay', { minutes: form.pay_within })}</span></p></div>`;
}

function Sku({ sku }) {
  return html`<div class="sku"><${Picture} url=${sku.image_url} title=${sku.title} />
    <span class="name">${sku.title}</span>
    ${
      sku.flash_price === undefined
        ? html`<p class="price">–</p>`
        : html`<${Price} price=${sku.flash_price} list=${sku.list_price} currency=${sku.currency} />`
    }
    <span class="muted">${t('preview_units', { units: sku.total })}
      ${Number(sku.purchase_limit) > 0 && html` · ${t('preview_limit', { limit: sku.purchase_limit })}`}</span></div>`;
}
