// The shop's views.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { signIn } from '../shared/server.js';
import { settings } from '../shared/settings.js';
import { Frame } from '../shared/frame.js';
import { Sales } from './sales.js';
import { Sale } from './sale.js';
import { Order } from './order.js';
import { Orders } from './orders.js';
import { Payment } from './payment_view.js';
import { Goods } from './goods.js';
import { Basket } from './basket.js';
import { DemoMenu } from './demo_menu.js';
import { unitsIn, useBasket } from './kept_basket.js';
import { Later } from './later.js';
import { Waiting } from './waiting.js';
import { InLine } from './in_line.js';

// later returns a view that is loaded when it is shown.
const later =
  (name) =>
  ({ id }) =>
    html`<${Later} name=${name} id=${id} />`;

const views = {
  '': Sales,
  sale: Sale,
  wait: Waiting,
  draw: later('DrawPage'),
  order: Order,
  orders: Orders,
  payment: Payment,
  addresses: later('Addresses'),
  goods: Goods,
  basket: Basket,
};
const menu = [
  ['', 'sales', ['sale', 'wait', 'draw']],
  ['goods', 'goods'],
  ['basket', 'basket'],
  ['orders', 'orders', ['order', 'payment']],
  ['addresses', 'addresses'],
];
const open = new Set(['', 'sale', 'draw', 'goods']);

export function App() {
  const counts = { basket: unitsIn(useBasket()) };
  return html`<${Frame} name="shop" views=${views} menu=${menu} open=${open} counts=${counts}
    who=${(server, requests) => html`<${Who} server=${server} requests=${requests} />`}>
    <a class="back" href="#/"><span aria-hidden="true">‹</span> ${t('menu_sales')}</a><//><${InLine} />`;
}

// Who lets the buyer sign out. On a program for development one chooses a demo buyer.
function Who({ server, requests }) {
  if (settings.dev_tokens) return html`<${DemoMenu} user=${server.user} requests=${requests} />`;
  if (window.onrushToken || !server.token) return null;
  return html`<button class="quiet" onClick=${() => signIn('')}>${t('sign_out')}</button>`;
}
