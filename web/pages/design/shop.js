// What only the shop has: the card of a sale, units, an address, what an order costs, and the code of a voucher.
import { html, useState } from '../vendor/preact-htm.js';
import { now } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { t } from '../shared/texts.js';
import { Card } from '../shared/sale_card.js';
import { AddressForm } from '../shop/address_form.js';
import { BuyBar } from '../shop/buy_bar.js';
import { Confirm } from '../shop/confirm.js';
import { VoucherCode } from '../shop/order_voucher.js';
import { Region } from '../shop/region.js';
import { Stepper } from '../shop/stepper.js';
import { Offer } from '../shop/wishes.js';

const quote = {
  items: [{ title: 'Lamp', quantity: 2 }],
  currency: 'CNY',
  goods_amount: 3800,
  freight_amount: 500,
  total_amount: 4300,
  address: { receiver: 'Ada', detail: '1 Harbour Road', region: 'East' },
};

const hour = 3_600_000; // ms
const inTime = (ms) => new Date(Date.now() + ms).toISOString();

// saleOf is a sale as the API has it, which starts and ends in some ms, with a picture of the demo.
function saleOf(starts, ends, remaining, picture) {
  const sku = { title: t('design_lamp'), flash_price: 1900, list_price: 4900, currency: 'CNY', total: 100, remaining };
  const image = picture && ownPath(`/assets/demo/${picture}.svg`);
  const skus = [{ sku_id: 'lamp', image_url: image, sold_out: remaining === 0, ...sku }];
  return { title: t('design_lamp'), starts_at: inTime(starts), ends_at: inTime(ends), skus };
}

export function Cards() {
  const [lead, ...others] = [
    saleOf(-hour, hour, 40, 'lamp'),
    saleOf(-hour, hour / 10, 7, 'course'),
    saleOf(hour, 2 * hour, 100, ''),
  ];
  const past = [saleOf(-hour, hour, 0, 'lamp'), saleOf(-2 * hour, -hour, 0, 'course')];
  const card = (sale) => html`<li><${Card} sale=${sale} href="#cards" /></li>`;
  return html`<ul class="cards">
      <li class="lead"><${Card} sale=${lead} lead href="#cards" /></li>${others.map(card)}</ul>
    <ul class="cards">${past.map(card)}</ul>`;
}

const drawn = { mode: 'draw', skus: [{ sku_id: 'lamp', title: 'Lamp' }] };

export function Buying() {
  const [units, change] = useState(2);
  const [until] = useState(() => new Date(now() + 600_000).toISOString());
  const [open, set] = useState(false);
  return html`<div class="row">
      <${Stepper} value=${units} most=${5} label=${t('design_units')} change=${change} />
      <${Stepper} value=${1} most=${1} label=${t('design_units_only')} change=${() => {}} />
      <button id="open-confirm" onClick=${() => set(true)}>${t('design_open_confirm')}</button></div>
    <${BuyBar} button=${{ label: t('design_buy'), reason: t('design_buy_why') }} stop=${() => {}} />
    <${Offer} sale=${drawn} offer=${{ sku_id: 'lamp', quantity: 1, offered_until: until }} />
    <div class="card"><${VoucherCode} code="ABCD-2345-WXYZ" /></div>
    ${
      open &&
      html`<${Confirm} quote=${quote} notice=${t('design_notice')} payWithinS=${900}
      answer=${() => set(false)} />`
    }`;
}

export function Addresses() {
  return html`<div class="card"><${AddressForm} saved=${() => {}} cancel=${() => {}} /></div>
    <div class="card"><${Region} value="" set=${() => {}} error=${t('design_region_wrong')} /></div>`;
}
