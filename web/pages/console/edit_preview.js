// How buyers will see a sale, before it is saved.
import { html, useState } from '../vendor/preact-htm.js';
import { Description } from '../shared/description.js';
import { money, t } from '../shared/texts.js';
import { Dialog, Picture, toneOf } from '../shared/parts.js';
import { moment } from './moment.js';
import { toMinor } from './parts.js';

export function Preview({ form, skus }) {
  const [open, setOpen] = useState(false);
  return html`<button type="button" class="quiet" id="preview" onClick=${() => setOpen(true)}>${t('preview')}</button>
    ${
      open &&
      html`<${Dialog} title=${t('preview')} close=${() => setOpen(false)}>
      <p class="muted">${t('preview_help')}</p>
      <article class="card preview">
        <${Picture} url=${form.image_url} title=${form.title || '?'} tone=${toneOf(form.title)} />
        <p><span class="badge upcoming">${t('preview_starts', { time: moment(form.starts_at) })}</span></p>
        <h3>${form.title || t('preview_untitled')}</h3>
        ${form.description && html`<${Description} text=${form.description} />`}
        <p class="tags">
          ${Number(form.purchase_limit) > 0 && html`<span>${t('preview_limit', { limit: form.purchase_limit })}</span>`}
          ${Number(form.paths_per_second) > 0 && html`<span>${t('room')}</span>`}
          ${form.human_check !== 'none' && html`<span>${t('human_check')}</span>`}
          ${form.segments && html`<span>${t('preview_segments')}</span>`}
          <span>${t('preview_pay', { minutes: form.pay_within })}</span></p>
        <ul class="list">${form.skus.map((sku) => html`<li><${Sku} sku=${sku} skus=${skus} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${() => setOpen(false)}>${t('close')}</button><//>`
    }`;
}

function Sku({ sku, skus }) {
  const goods = skus.find((s) => s.sku_id === sku.sku_id);
  const units = sku.stock.reduce((sum, stock) => sum + (Number(stock.quantity) || 0), 0);
  return html`<div class="sku"><span class="name">${goods?.title ?? sku.sku_id}</span>
    <${Price} sku=${sku} goods=${goods} />
    <span class="muted">${t('preview_units', { units })}
      ${Number(sku.purchase_limit) > 0 && html` · ${t('preview_limit', { limit: sku.purchase_limit })}`}</span></div>`;
}

function Price({ sku, goods }) {
  let amount;
  try {
    amount = toMinor(sku.flash_price, sku.currency ?? goods?.currency);
  } catch {
    amount = undefined; // it is typed at the moment
  }
  if (!goods || amount === undefined) return html`<span class="price">–</span>`;
  const currency = sku.currency ?? goods.currency;
  const reduced = currency === goods.currency && amount < goods.price;
  return html`<span class="price">${money(amount, currency)}
    ${reduced && html`<s>${money(goods.price, goods.currency)}</s>`}</span>`;
}
