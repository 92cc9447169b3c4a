// The console's views.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { signIn } from '../shared/server.js';
import { Frame } from '../shared/frame.js';
import { Today } from './today.js';
import { Sales } from './sales.js';
import { Live } from './live.js';
import { Edit } from './edit.js';
import { Money } from './money.js';
import { Order } from './order.js';
import { Payment } from './payment.js';
import { Voucher } from './voucher.js';
import { Goods } from './goods.js';
import { Points } from './points.js';
import { Queue } from './queue.js';
import { Jobs } from './jobs.js';
import { Endpoints } from './endpoints.js';
import { Deliveries } from './deliveries.js';
import { Blocked } from './blocked.js';
import { Changes } from './changes.js';
import { Search } from './search.js';

const views = {
  '': Today,
  sales: Sales,
  live: Live,
  edit: Edit,
  money: Money,
  order: Order,
  payment: Payment,
  voucher: Voucher,
  goods: Goods,
  points: Points,
  queue: Queue,
  jobs: Jobs,
  endpoints: Endpoints,
  deliveries: Deliveries,
  blocked: Blocked,
  changes: Changes,
};
const menu = [
  ['', 'today'],
  ['sales', 'sales', ['live', 'edit'], 'group_sell'],
  ['goods', 'goods'],
  ['points', 'points'],
  ['money', 'money', ['order', 'payment', 'voucher'], 'group_orders'],
  ['queue', 'queue'],
  ['blocked', 'blocked'],
  ['jobs', 'jobs', [], 'group_system'],
  ['endpoints', 'endpoints', ['deliveries']],
  ['changes', 'changes'],
];

export function App() {
  return html`<${Frame} name="console" views=${views} menu=${menu} open=${new Set()} links=${[['/', t('shop_page')]]}
    who=${(server) => html`<${Who} server=${server} />`}><${Search} /><//>`;
}

function Who({ server }) {
  if (settings.dev_tokens || window.onrushToken || !server.token) {
    return html`<span class="who muted">${server.user || t('operator')}</span>`;
  }
  return html`<button class="quiet" onClick=${() => signIn('')}>${t('sign_out')}</button>`;
}
