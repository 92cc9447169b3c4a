// The search over everything: sales, goods and stock points by a part of their title or id; orders, payments, refunds,
// users and vouchers by their whole number, id, code or reference; orders by the phone and the name of their receiver;
// refusals by the id or the key of their request. It also does what operators must do fast: stop all sales, pause a
// sale, refund an order.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { leaveFor } from '../shared/leave.js';
import { Dialog, Problem } from '../shared/parts.js';
import { may } from './me.js';
import { moment } from './moment.js';
import { Badge, readAll } from './parts.js';
import { refundState } from './refund_state.js';
import { addressOf, shownState, stateOf } from './sales.js';

const most = 6; // hits of a kind
const pause = 150; // ms after the last key, before the server is asked

const addresses = {
  order: (id) => `#/order/${id}`,
  payment: (id) => `#/payment/${id}`,
  refund: (id) => `#/money/refunds?refund_number=${encodeURIComponent(id)}`,
  user: (id) => `#/user/${encodeURIComponent(id)}`,
  refusal: (_, user) => `#/user/${encodeURIComponent(user)}`,
  voucher: (id) => `#/voucher/${encodeURIComponent(id)}`,
};

const actionHit = (title, href, more = {}) => ({ kind: 'action', id: href, title, href, ...more });
const danger = true; // it stops selling

// whichSale tells sales of one title apart: by when they end, and by the end of their id.
const whichSale = ({ ends_at: ends, activity_id: id }) => t('hit_ends', { time: moment(ends), id: id.slice(-6) });

// actionsOn are what may be done fast, with all sales and with each that sells. Each leads to its button, which asks.
function actionsOn(sales) {
  const open = sales.filter((sale) => ['running', 'upcoming'].includes(stateOf(sale)) && !sale.paused_at);
  return [
    may('GET /orders') && actionHit(t('refund_an_order'), '#/money/orders?status=paid'),
    may('PUT /activities/{activity_id}') && actionHit(t('new_sale'), '#/edit'),
    ...(may('POST /activities/{activity_id}/pause') ? open : []).map((sale) =>
      actionHit(`${t('pause_sale')}: ${sale.title}`, `#/live/${sale.activity_id}?do=pause`, {
        danger,
        note: whichSale(sale),
      }),
    ),
    may('PATCH /settings') && actionHit(t('stop_sales'), '#/settings?do=stop', { danger }),
  ].filter(Boolean);
}

// refundHits are the refunds of paid orders that were found.
const refundHits = (items) =>
  items
    .filter(({ kind, status }) => kind === 'order' && status === 'paid' && may('POST /orders/{order_number}/refund'))
    .slice(0, most)
    .map(({ id }) => actionHit(`${t('refund_order')}: ${id}`, `#/order/${id}?do=refund`));

const saleHit = (sale) => ({
  kind: 'sale',
  id: sale.activity_id,
  title: sale.title,
  href: addressOf(sale),
  state: shownState(sale),
});

// readNamed reads the things that are found by their titles.
async function readNamed() {
  const lists = ['/activities', '/skus', '/points'];
  const [sales, skus, points] = await Promise.all(lists.map((path) => (may(`GET ${path}`) ? readAll(path) : [])));
  const hit = (kind, id, title, href) => ({ kind, id, title, href });
  return [
    ...sales.map(saleHit),
    ...skus.map((sku) => hit('sku', sku.sku_id, sku.title, `#/goods?${new URLSearchParams({ sku_id: sku.sku_id })}`)),
    ...points.map((p) => hit('point', p.point_id, p.name, `#/points?${new URLSearchParams({ point_id: p.point_id })}`)),
    ...actionsOn(sales),
  ];
}

// matching returns the named things that have all words, the first ones of each kind.
function matching(named, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const counts = {};
  return named.filter(({ kind, id, title }) => {
    const hay = (kind === 'action' ? title : `${title} ${id}`).toLowerCase();
    if (!words.every((word) => hay.includes(word))) return false;
    counts[kind] = (counts[kind] ?? 0) + 1;
    return counts[kind] <= most;
  });
}

// foundSales asks the server for sales with a text, since there may be more than readNamed reads.
async function foundSales(text) {
  if (!may('GET /activities')) return [];
  const { items } = await call('GET', `/activities?${new URLSearchParams({ q: text, page_size: String(most) })}`);
  return items.map(saleHit);
}

// useFound asks the server for what has exactly a text, and for sales with it: {hits, of, error}; of is the text.
function useFound(text) {
  const [found, set] = useState({ of: '', hits: [] });
  useEffect(() => {
    if (!text) return undefined;
    let current = true;
    const timer = setTimeout(async () => {
      try {
        const [{ items }, sales] = await Promise.all([
          call('GET', `/search?q=${encodeURIComponent(text)}`),
          foundSales(text),
        ]);
        const hits = items.map(({ kind, id, user_id: user, receiver, phone, status }) => ({
          kind,
          id,
          title: receiver ? `${receiver}, ${phone}` : (user ?? id),
          href: addresses[kind](id, user),
          state: kind === 'refund' ? refundState(status) : status,
        }));
        if (current) set({ of: text, hits: [...hits, ...refundHits(items), ...sales] });
      } catch (error) {
        if (current) set({ of: text, hits: [], error });
      }
    }, pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found.of === text ? found : { hits: [], waits: Boolean(text) };
}

const first = ['running', 'stopped', 'upcoming', 'draft']; // of the states of sales

// inOrder puts what was found by its number first, then sales that run or come, and last what stops selling.
function inOrder(hits) {
  const rank = ({ kind, state, danger: stops }) => {
    if (kind === 'action') return stops ? 9 : 8;
    if (kind === 'sale') return 1 + (first.includes(state) ? first.indexOf(state) : first.length);
    return ['sku', 'point'].includes(kind) ? 7 : 0;
  };
  return hits.toSorted((a, b) => rank(a) - rank(b));
}

const keyOf = (hit) => `${hit.kind} ${hit.id}`;

// useMarked says which hit is marked, by its place among the hits, and marks another hit. The hit stays marked when
// more hits come; at first it is the first one.
function useMarked(hits) {
  const [, draw] = useState('');
  const marked = useRef('');
  const at = Math.max(
    0,
    hits.findIndex((hit) => keyOf(hit) === marked.current),
  );
  marked.current = hits[at] ? keyOf(hits[at]) : '';
  const mark = (hit) => {
    marked.current = hit ? keyOf(hit) : '';
    draw(marked.current);
  };
  return { at, mark };
}

export function SearchDialog({ close }) {
  const [text, type] = useState('');
  const [entered, enter] = useState(false); // before there were hits
  const named = useLoad(readNamed);
  const found = useFound(text.trim());
  const matched = matching(named.value ?? [], text);
  const others = found.hits.filter((hit) => !matched.some((known) => keyOf(known) === keyOf(hit)));
  const hits = inOrder([...others, ...matched]);
  const { at, mark } = useMarked(hits);
  const waits = found.waits || (Boolean(text.trim()) && !named.value && !named.error);
  const open = (hit) => {
    close();
    leaveFor(hit.href);
  };
  useEffect(() => {
    if (!entered || waits) return;
    enter(false);
    if (hits.length > 0) open(hits[0]);
  }, [entered, waits]);
  const press = (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step && hits.length > 0) {
      e.preventDefault();
      mark(hits[(at + step + hits.length) % hits.length]);
    } else if (e.key === 'Enter') {
      e.preventDefault();
      if (hits[at]) open(hits[at]);
      else enter(waits);
    }
  };
  const changed = (e) => {
    type(e.target.value);
    mark();
    enter(false);
  };
  return html`<${Dialog} title=${t('search_short')} close=${close}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t('search')}
      aria-activedescendant=${hits[at] && `hit-${at}`} value=${text} onInput=${changed} onKeyDown=${press} />
    <${Problem} error=${found.error ?? named.error} />
    <ul id="hits" role="listbox" aria-label=${t('search_hits')}>${hits.map(
      (hit, i) => html`<li id="hit-${i}" key=${keyOf(hit)} role="option" aria-selected=${i === at}
        class=${hit.danger ? 'danger' : undefined}
        onClick=${() => open(hit)} onMouseMove=${() => mark(hit)}>
        <span class="muted kind">${t(`hit_${hit.kind}`)}</span><b>${hit.title}</b>
        ${hit.title !== hit.id && hit.kind !== 'action' && html`<code class="muted">${hit.id}</code>`}
        ${hit.note && html`<span class="muted">${hit.note}</span>`}
        ${hit.state && html`<${Badge} state=${hit.state} />`}</li>`,
    )}</ul>
    <p class="muted" role="status">${statusOf(text.trim(), waits, hits)}</p>
    <p class="muted keys">${t('search_keys')}</p></div><//>`;
}

function statusOf(text, waits, hits) {
  if (!text) return t('search_help');
  if (hits.length > 0) return '';
  return waits ? `${t('loading')} …` : t('search_none');
}
