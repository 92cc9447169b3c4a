// The console's views.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { signIn } from '../shared/server.js';
import { Frame } from '../shared/frame.js';
import { Icon } from '../shared/icons.js';
import { Loading, Problem } from '../shared/parts.js';
import { moment } from './moment.js';
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

// claimsOf reads whom a token names, without checking it: {sub, exp}. Other tokens name nobody.
function claimsOf(token) {
  try {
    const [, payload] = token.split('.');
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}

// useToken returns the token of the reader, also where a platform has its own.
function useToken(server) {
  const [own, set] = useState('');
  useEffect(() => {
    Promise.resolve(window.onrushToken?.()).then(
      (token) => set(token ?? ''),
      () => {},
    );
  }, [server.refused]);
  return window.onrushToken ? own : server.token;
}

// Who says as whom the reader is signed in, and signs out.
function Who({ server }) {
  const { sub, exp } = claimsOf(useToken(server));
  const name = sub ?? (server.user || t('operator'));
  const until = exp ? t('signed_in_until', { name, time: moment(exp * 1000) }) : t('signed_in', { name });
  const own = settings.dev_tokens || window.onrushToken || !server.token;
  return html`<span class="who" title=${until}><${Icon} name="person" />
      <span><span class="hidden">${t('signed_in', { name: '' })}</span>${name}</span></span>
    ${!own && html`<button class="quiet" id="sign-out" onClick=${() => signIn('')}>${t('sign_out')}</button>`}`;
}
