// The way back from a view of one thing, and the views of one sale.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { may } from './me.js';
import { Tabs } from './parts.js';
import { reportOf } from './sales.js';

// Back leads to the list that a thing is in, where the reader may call its route.
/** @param {any} props */
export const Back = ({ href, route, children }) =>
  may(route) && html`<p class="back"><a href=${href}><span aria-hidden="true">‹</span> ${children}</a></p>`;

export const BackToSales = () => html`<${Back} href="#/sales" route="GET /activities">${t('menu_sales')}<//>`;
export const BackToOrders = () => html`<${Back} href="#/money/orders" route="GET /orders">${t('orders')}<//>`;

// SaleTabs are the views of a sale. A draft has no figures yet.
/** @param {any} props */
export function SaleTabs({ id, draft = false, current }) {
  const of = (name, value) => new URLSearchParams({ [name]: value });
  const tabs = [
    ['live', 'GET /activities/{activity_id}/stats', `#/live/${id}`, 'show_live'],
    ['orders', 'GET /orders', `#/money/orders?${of('activity_id', id)}`, 'orders'],
    ['report', 'GET /activities/{activity_id}/report', reportOf({ activity_id: id }), 'report'],
    ['edit', 'PUT /activities/{activity_id}', `#/edit/${id}`, 'edit'],
    ['changes', 'GET /changes', `#/changes?${of('on', `activity:${id}`)}`, 'menu_changes'],
  ].filter(([name, route]) => may(route) && (!draft || ['edit', 'changes'].includes(name)));
  return html`<${Tabs} name=${t('sale')} current=${current}
    tabs=${tabs.map(([name, , href, text]) => [href, t(text), name])} />`;
}
