// What only the shop has: units, an address, what an order costs, and the code of a voucher.
import { html, useState } from '../vendor/preact-htm.js';
import { now } from '../shared/server.js';
import { t } from '../shared/texts.js';
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
