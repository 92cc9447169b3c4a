// The console's views.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { ownPath, settings } from '../shared/settings.js';
import { countInTitle } from '../shared/title.js';
import { bySession, isKey, signedIn, signOut, useServer } from '../shared/server.js';
import { Frame } from '../shared/frame.js';
import { Icon } from '../shared/icons.js';
import { Loading, Problem } from '../shared/parts.js';
import { may, useMe } from './me.js';
import { moment } from './moment.js';
import { useNeeded } from './attention.js';
import { Count, Today } from './today.js';
import { Search } from './search.js';
import { SoundSwitch, SoundWaits, useSoundOf } from './sound.js';
import { Standing } from './standing.js';
import { say, Toast } from './toast.js';

// later is a view of views.js, which is loaded when one of them is shown for the first time.
function later(name) {
  let View;
  return function Later(props) {
    const [, done] = useState(false);
    const [error, fail] = useState();
    const missing = !View; // another visit may load it until the effect runs
    useEffect(() => {
      const show = (views) => {
        View = views[name];
        done(true);
      };
      if (missing) import('./views.js').then(show, () => fail({ code: 'unreachable' }));
    }, []);
    if (View) return html`<${View} ...${props} />`;
    return error ? html`<${Problem} error=${error} retry=${() => location.reload()} />` : html`<${Loading} />`;
  };
}

const Home = later('Home');
const NotAllowed = later('NotAllowed');
const login = settings.sign_in ? later('Login') : undefined;

const views = {
  '': Today,
  sales: later('Sales'),
  live: later('Live'),
  report: later('Report'),
  edit: later('Edit'),
  money: later('Money'),
  order: later('Order'),
  payment: later('Payment'),
  voucher: later('Voucher'),
  user: later('User'),
  goods: later('Goods'),
  points: later('Points'),
  queue: later('Queue'),
  jobs: later('Jobs'),
  endpoints: later('Endpoints'),
  deliveries: later('Deliveries'),
  blocked: later('Blocked'),
  changes: later('Changes'),
  keys: later('Keys'),
  settings: later('Settings'),
};

// needs are the routes without which a view shows nothing. That of today reads what only the scope admin may, but for
// an operator of one shop.
const needs = {
  '': 'GET /queue/dead',
  sales: 'GET /activities',
  live: 'GET /activities/{activity_id}/stats',
  report: 'GET /activities/{activity_id}/report',
  edit: 'PUT /activities/{activity_id}',
  money: 'GET /orders',
  order: 'GET /orders/{order_number}',
  payment: 'GET /payments/{pay_number}',
  voucher: 'GET /vouchers/{code}',
  user: 'GET /users/{user_id}/trail',
  goods: 'GET /skus',
  points: 'GET /points',
  queue: 'GET /queue',
  jobs: 'GET /jobs',
  endpoints: 'GET /endpoints',
  deliveries: 'GET /deliveries/{delivery_id}',
  blocked: 'GET /blocked',
  changes: 'GET /changes',
  keys: 'GET /keys',
  settings: 'GET /settings',
};

// hasToday reports whether Today is the first view: of an operator of one shop it has what belongs to the shop.
const hasToday = (me) => may(needs['']) || Boolean(me.shop_id && may(needs.live));

// allowed returns the views of a reader. A view that the reader's scope doesn't allow says so.
const allowed = (me) =>
  Object.fromEntries(
    Object.entries(views).map(([at, View]) => {
      if (at ? may(needs[at]) : hasToday(me)) return [at, View];
      return [
        at,
        at ? () => html`<${NotAllowed} route=${needs[at]} />` : () => html`<${Home} me=${me} links=${links()} />`,
      ];
    }),
  );

const links = () => menu.filter(([at]) => at && may(needs[at]));

const menu = [
  ['', 'today'],
  ['sales', 'sales', ['live', 'report', 'edit'], 'group_sell'],
  ['goods', 'goods'],
  ['points', 'points'],
  ['money', 'money', ['order', 'payment', 'voucher', 'user'], 'group_orders'],
  ['queue', 'queue'],
  ['blocked', 'blocked'],
  ['jobs', 'jobs', [], 'group_system'],
  ['endpoints', 'endpoints', ['deliveries']],
  ['changes', 'changes'],
  ['keys', 'keys'],
  ['settings', 'settings'],
];

export function App() {
  const server = useServer();
  const { me, error, again } = useMe(server);
  const counts = Boolean(me) && !server.refused && hasToday(me);
  const needed = useNeeded();
  const count = counts && needed ? needed.length : 0;
  useSoundOf(counts ? needed?.map(({ key }) => key) : undefined, false);
  useEffect(() => countInTitle(count), [count]);
  /** @type {{current: {of?: any, views: Record<string, any>, menu: any[]}}} */
  const drawn = useRef({ views, menu });
  // a view stays the same until another reader comes, and with it what was typed
  if (me && drawn.current.of !== me) drawn.current = { of: me, views: allowed(me), menu: menuOf(me) };
  else if (!signedIn() && !server.refused) drawn.current = { views, menu };
  if (!drawn.current.of && (isKey(server.token) || (signedIn() && !settings.dev_tokens && !server.refused))) {
    // nothing is asked that the reader may not ask
    return html`<main>${error ? html`<${Problem} error=${error} retry=${again} />` : html`<${Loading} />`}</main>`;
  }
  return html`<${Frame} name="console" views=${drawn.current.views} menu=${drawn.current.menu} open=${new Set()}
    links=${[[ownPath('/'), t('shop_page')]]} banner=${signedIn() && html`<${Banner} />`}
    login=${login} counts=${{ '': count }} marked=${count > 0 && t('attention_count', { count })}
    who=${(server) => html`<${Who} server=${server} me=${me} />`}>${may('GET /search') && html`<${Search} />`}<//>
    ${counts && html`<${Count} />`}<${Toast} />`;
}

// Banner is what stands above each view.
const Banner = () => html`${may('GET /settings') && html`<${Standing} />`}<${SoundWaits} />`;

// menuOf is the menu of what the reader may see. Groups are for the whole menu.
function menuOf(me) {
  if (me.scope === 'admin' && !me.shop_id) return menu;
  return [['', hasToday(me) ? 'today' : 'start'], ...links().map(([at, icon, kindred]) => [at, icon, kindred])];
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

// leave signs the reader out. Nobody else sees what they did last.
function leave() {
  say();
  return signOut();
}

// Who says as whom the reader is signed in, and signs out.
function Who({ server, me }) {
  const { sub, exp } = claimsOf(useToken(server));
  const name = me?.name ?? sub ?? (server.user || t('operator'));
  const ends = exp ? exp * 1000 : me?.expires_at;
  const until = ends ? t('signed_in_until', { name, time: moment(ends) }) : t('signed_in', { name });
  const limited = me && me.scope !== 'admin';
  const own = settings.dev_tokens || window.onrushToken || !(server.token || (bySession() && me));
  return html`<span class="who" title=${until}><${Icon} name="person" />
      <span><span class="hidden">${t('signed_in', { name: '' })}</span>${name.replace(/^key:/, '')}</span>
      ${limited && html`<span class="badge" title=${t(`scope_${me.scope}_help`)}>${t(`scope_${me.scope}`)}</span>`}${
        me?.shop_id && html`<span class="badge" title=${t('own_shop_help')}>${me.shop_id}</span>`
      }</span>
    ${signedIn() && may(needs.live) && html`<${SoundSwitch} id="sound" kind="quiet square" />`}
    ${!own && html`<button class="quiet" id="sign-out" onClick=${leave}>${t('sign_out')}</button>`}`;
}
