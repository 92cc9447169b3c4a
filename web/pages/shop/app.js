// The shop's views.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { signIn, signInAs } from '../shared/server.js';
import { ownPath, settings } from '../shared/settings.js';
import { Frame } from '../shared/frame.js';
import { Select } from '../shared/parts.js';
import { Sales } from './sales.js';
import { Sale } from './sale.js';
import { Order } from './order.js';
import { Orders } from './orders.js';
import { Payment } from './payment_view.js';
import { Addresses } from './addresses.js';
import { Goods } from './goods.js';
import { Basket } from './basket.js';
import { unitsIn, useBasket } from './kept_basket.js';
import { Waiting } from './waiting.js';
import { InLine } from './in_line.js';

const views = {
  '': Sales,
  sale: Sale,
  wait: Waiting,
  order: Order,
  orders: Orders,
  payment: Payment,
  addresses: Addresses,
  goods: Goods,
  basket: Basket,
};
const menu = [
  ['', 'sales', ['sale', 'wait']],
  ['goods', 'goods'],
  ['basket', 'basket'],
  ['orders', 'orders', ['order', 'payment']],
  ['addresses', 'addresses'],
];
const open = new Set(['', 'sale', 'goods']);

export function App() {
  const counts = { basket: unitsIn(useBasket()) };
  return html`<${Frame} name="shop" views=${views} menu=${menu} open=${open} counts=${counts}
    links=${settings.dev_tokens ? [[ownPath('/admin'), t('console')]] : []}
    who=${(server) => html`<${Who} server=${server} />`} /><${InLine} />`;
}

// Who shows the buyer. On a program for development one chooses a demo buyer.
function Who({ server }) {
  const buyers = ['alice', 'bob', 'carol', 'dave'];
  if (window.onrushToken) return null;
  if (!settings.dev_tokens) {
    if (!server.token) return null;
    return html`<button class="quiet" onClick=${() => signIn('')}>${t('sign_out')}</button>`;
  }
  const all = server.user && !buyers.includes(server.user) ? [server.user, ...buyers] : buyers;
  const change = (e) => signInAs(e.target.value).then(() => location.reload());
  return html`<label class="who"><span class="hidden">${t('demo_buyer')}</span>
    <${Select} id="buyer" value=${server.user} onChange=${change}
      options=${[...(server.user ? [] : [['', t('demo_buyer')]]), ...all.map((name) => [name, name])]} /></label>`;
}
