// The console's views.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { signIn } from '../shared/server.js';
import { Frame } from '../shared/frame.js';
import { Loading, Problem } from '../shared/parts.js';
import { Today } from './today.js';
import { Search } from './search.js';

// later is a view whose modules are loaded when it is shown for the first time.
function later(load) {
  let View;
  return function Later(props) {
    const [, done] = useState(false);
    const [error, fail] = useState();
    useEffect(() => {
      const show = (found) => {
        View = found;
        done(true);
      };
      if (!View) load().then(show, () => fail({ code: 'unreachable' }));
    }, []);
    if (View) return html`<${View} ...${props} />`;
    return error ? html`<${Problem} error=${error} retry=${() => location.reload()} />` : html`<${Loading} />`;
  };
}

const views = {
  '': Today,
  sales: later(async () => (await import('./sales.js')).Sales),
  live: later(async () => (await import('./live.js')).Live),
  edit: later(async () => (await import('./edit.js')).Edit),
  money: later(async () => (await import('./money.js')).Money),
  order: later(async () => (await import('./order.js')).Order),
  payment: later(async () => (await import('./payment.js')).Payment),
  voucher: later(async () => (await import('./voucher.js')).Voucher),
  goods: later(async () => (await import('./goods.js')).Goods),
  points: later(async () => (await import('./points.js')).Points),
  queue: later(async () => (await import('./queue.js')).Queue),
  jobs: later(async () => (await import('./jobs.js')).Jobs),
  endpoints: later(async () => (await import('./endpoints.js')).Endpoints),
  deliveries: later(async () => (await import('./deliveries.js')).Deliveries),
  blocked: later(async () => (await import('./blocked.js')).Blocked),
  changes: later(async () => (await import('./changes.js')).Changes),
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
