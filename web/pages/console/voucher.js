// One voucher, which is redeemed once.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { moment } from './moment.js';
import { Action, Badge, To } from './parts.js';
import { Titled } from './titled.js';
import { BackToOrders } from './ways.js';

export function Voucher({ id }) {
  const path = `/vouchers/${encodeURIComponent(id)}`;
  const { value: voucher, error, reload } = useLoad(() => call('GET', path));
  if (!voucher) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  return html`<${BackToOrders} /><div class="row heading"><${Titled} title=${t('kind_voucher')} code=${id}>
        <${Badge} state=${voucher.status} /><//>
      ${
        voucher.status === 'active' &&
        html`<${Action} route="POST /vouchers/{code}/redeem" label=${t('redeem')} kind="go" title=${t('redeem')}
        fields=${[{ name: 'where', label: t('where'), required: true, maxlength: 100 }]}
        run=${(body, key) => call('POST', `${path}/redeem`, { key, body })} then=${reload} />`
      }</div>
    <section class="card"><dl class="facts">
      <div><dt>${t('what')}</dt><dd>${voucher.title}</dd></div>
      <div><dt>${t('order')}</dt><dd><${To} route="GET /orders/{order_number}" href="#/order/${voucher.order_number}">
        ${voucher.order_number}<//></dd></div>
      <div><dt>${t('buyer')}</dt><dd>${voucher.user_id}</dd></div>
      ${
        voucher.redeemed_at &&
        html`<div><dt>${t('redeemed')}</dt>
        <dd>${moment(voucher.redeemed_at)}, ${voucher.redeemed_where}, ${voucher.redeemed_by}</dd></div>`
      }</dl></section>`;
}
