// What needs a person, and the sales of today.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { duration, money, number, t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { clockOf, driftOf, unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { Loading, Problem, StockBar } from '../shared/parts.js';
import { Attention, count, readAttention } from './attention.js';
import { linesOf } from './attention_lines.js';
import { may } from './me.js';
import { span } from './moment.js';
import { goodOrBad, readAll } from './parts.js';
import { Health } from './health.js';
import { Readiness } from './readiness.js';
import { sumsText } from './revenue.js';
import { addressOf, countdown, SaleState, SoldOut, startsSoon, stateOf } from './sales.js';
import { useSound } from './sound.js';
import { salesStopped, StopSales } from './standing.js';

const write = 'PUT /activities/{activity_id}';
const revenueRoute = 'GET /revenue';
const mostFollowed = 12; // sales whose figures are read

// before sorts sales: running sales, coming sales by their start, ended sales by their end, the latest first.
function before(a, b) {
  const order = { running: 0, upcoming: 1, ended: 2 };
  const [x, y] = [stateOf(a), stateOf(b)];
  const time = (sale) => Date.parse(x === 'ended' ? sale.ends_at : sale.starts_at);
  return order[x] - order[y] || (x === 'ended' ? time(b) - time(a) : time(a) - time(b));
}

const checksEvery = 30_000; // ms, of sales that don't start soon
const read = new Map(); // what changes seldom, by path: {at, value}

// seldom reads a path again only after a while.
async function seldom(path, ms, load) {
  const old = read.get(path);
  if (old && Date.now() - old.at < ms) return old.value;
  const value = await load();
  read.set(path, { at: Date.now(), value });
  return value;
}

function readChecks(sale, path) {
  if (stateOf(sale) !== 'upcoming') return { items: [] };
  const load = () => call('GET', `${path}/checks`);
  return startsSoon(sale) ? load() : seldom(`${path}/checks`, checksEvery, load);
}

// readRevenue reads what was paid and refunded on this day of the reader: sums by currency, each by its name.
async function readRevenue() {
  if (!may(revenueRoute)) return undefined;
  const midnight = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const { items } = await call('GET', `/revenue?from=${midnight}`);
  const by = (name) => Object.fromEntries(items.map((item) => [item.currency, item[name]]));
  return { paid: by('paid_amount'), refunded: by('refunded_amount'), net: by('net_amount') };
}

// readSale reads the figures of a sale, its account, and its checks if it starts soon. What can't be read is undefined;
// a sale that Redis doesn't have has no account.
async function readSale(sale) {
  const path = `/activities/${sale.activity_id}`;
  /** @type {any[]} */
  const [stats, audit, checks] = await Promise.allSettled([
    call('GET', `${path}/stats`),
    call('GET', `${path}/audit`),
    readChecks(sale, path),
  ]);
  know(stats.value?.server_time);
  const loaded = audit.reason?.code !== 'conflict';
  return { sale, stats: stats.value, audit: audit.value, loaded, checks: checks.value?.items };
}

// readFigures reads the first sales. unchecked is how many others run, or start soon.
async function readFigures(published) {
  const sales = published.toSorted(before);
  const rest = sales.slice(mostFollowed);
  const followed = await Promise.all(sales.slice(0, mostFollowed).map(readSale));
  return { followed, more: rest.length, unchecked: rest.filter(startsSoon).length };
}

const countEvery = 15_000; // ms

// Count counts what needs a person while another view is shown. What can't be read leaves the count as it is.
export function Count() {
  const on = useSound(); // it is for whoever looks at something else
  const { reload } = useEvery(
    countEvery,
    async () => {
      if (['', '#', '#/'].includes(location.hash.split('?')[0])) return; // Today counts
      const [read, published] = await Promise.all([readAttention(), readAll('/activities', { state: 'published' })]);
      if (read.missing.length > 0) return;
      count(linesOf(read, (await readFigures(published)).followed, reload));
    },
    on,
  );
  useEffect(() => {
    addEventListener('hashchange', reload); // the buttons of the lines that Today counted read for Today
    return () => {
      removeEventListener('hashchange', reload);
      count(); // another reader may not see them
    };
  }, []);
  return null;
}

export function Today() {
  const on = useSound();
  const attention = useEvery(5000, readAttention, on);
  const many = useRef(false); // more than one page, so that they are read less often
  const readPublished = async () => {
    const sales = await readAll('/activities', { state: 'published' });
    many.current = sales.length > 100;
    return sales;
  };
  const published = useEvery(many.current ? 30_000 : 5000, readPublished, on);
  const sales = useEvery(3000, async () => published.value && readFigures(published.value), on);
  const revenue = useEvery(5000, readRevenue);
  const known = Boolean(published.value);
  useEffect(() => {
    if (known) sales.reload(); // its first read came before the sales; each may take longer than theirs
  }, [known]);
  useTick();
  const again = () => {
    attention.reload();
    published.reload();
    sales.reload();
  };
  const error = attention.error ?? published.error ?? sales.error;
  const first = !error && !(attention.value && sales.value); // nothing was read yet
  return html`<h1>${t('menu_today')}</h1>
    <${Problem} error=${error} retry=${again} />
    ${
      first
        ? html`<${Loading} />`
        : html`<${Attention} read=${attention.value} stale=${Boolean(error)} sales=${sales.value} again=${again} />`
    }
    ${sales.value && html`<${Overview} all=${published.value} revenue=${revenue} />`}
    <div class="row heading"><h2>${t('sales_now')}</h2>
      ${published.value?.length > 0 && !salesStopped() && html`<${StopSales} />`}
      ${may(write) && html`<a class="button" href="#/edit">${t('new_sale')}</a>`}</div>
    ${published.value?.length === 0 && html`<p class="empty">${t('sales_now_none')}</p>`}
    <ul class="cards">${(sales.value?.followed.length ? sales.value.followed : awaited(published.value)).map(
      (one) => html`
      <li key=${one.sale.activity_id}><${Card} ...${one} /></li>`,
    )}</ul>
    ${
      sales.value?.more > 0 &&
      html`<p>
      <a href="#/sales">${t('attention_more', { total: number(sales.value.more) })}</a></p>`
    }
    ${may('GET /instances') && html`<${Health} read=${attention.value} again=${attention.reload} />`}`;
}

// awaited are the sales whose figures are being read.
const awaited = (sales = []) =>
  sales
    .toSorted(before)
    .slice(0, mostFollowed)
    .map((sale) => ({ sale }));

// nothing is no money in the currency of the first sale that is known; without one it says nothing.
function nothing(sales) {
  const currency = sales[0]?.skus[0]?.currency;
  return currency ? money(0, currency) : '–';
}

// refundsText says what was refunded, and what that leaves, or nothing.
function refundsText(revenue) {
  if (!revenue || !Object.values(revenue.refunded).some(Boolean)) return '';
  return t('revenue_refunded', { refunded: sumsText(revenue.refunded), net: sumsText(revenue.net) });
}

// Overview is the day in three figures. revenue is what useEvery has read of it.
function Overview({ all, revenue: { value: revenue, error } }) {
  const sales = all.toSorted(before);
  const next = sales.find((sale) => stateOf(sale) === 'upcoming');
  const running = sales.filter((sale) => stateOf(sale) === 'running').length;
  const figures = [
    [
      'revenue_today',
      revenue ? sumsText(revenue.paid) || nothing(sales) : '–',
      error ? t('attention_stale') : refundsText(revenue) || t('revenue_today_note'),
      may(revenueRoute),
    ],
    ['running_now', number(running), salesStopped() ? t('running_stopped') : ''],
    ['next_start', next ? duration(clockOf(next).left) : '–', next?.title ?? t('next_none')],
  ];
  return html`<dl class="figures three">${figures.map(
    ([name, value, note, shown = true]) =>
      shown &&
      html`<div id="figure-${name}"><dt>${t(name)}</dt>
      <dd>${value} <small>${note}</small></dd></div>`,
  )}</dl>`;
}

// sellsNothing reports whether a sale runs and Redis doesn't have it.
const sellsNothing = (sale, stats) =>
  stateOf(sale) === 'running' && !sale.paused_at && stats && !stats.loaded && !stats.partial;

// Card leads to a sale, and to its form, whose link is beside the card's: a link has no other one in it.
// Its figures are awaited while loaded is missing.
/** @param {any} props */
function Card({ sale, stats, audit, checks, loaded }) {
  const known = loaded !== undefined;
  return html`<a class="card followed ${known ? '' : 'awaited'}" href=${addressOf(sale)}>
    <h2>${sale.title} <span class="muted" aria-hidden="true">›</span></h2>
    <span class="row">${
      sellsNothing(sale, stats)
        ? html`<span class="badge bad">${t('sells_nothing')}</span>`
        : html`<${SaleState} sale=${sale} /><${SoldOut} sale=${sale} stats=${stats} />`
    }<span class="muted">${countdown(sale)}</span></span>
    <p class="muted">${span(sale.starts_at, sale.ends_at)} · ${skusText(sale.skus.length)}</p>
    ${known && stateOf(sale) === 'upcoming' && html`<${Readiness} sale=${sale} stats=${stats} checks=${checks} />`}
    ${stats && html`<${Figures} sale=${sale} stats=${stats} audit=${audit} />`}</a>
    ${
      may(write) &&
      html`<a class="edit-link" href="#/edit/${sale.activity_id}">
      ${t('edit')}<span class="hidden"> ${sale.title}</span></a>`
    }`;
}

const skusText = (n) => (n === 1 ? t('sku_one') : t('sku_many', { n: number(n) }));

// Figures are the units of a sale, and once it runs its orders.
function Figures({ sale, stats, audit }) {
  const left = unitsLeft(stats);
  const held = left <= 0 ? unitsOf(stats.stock, 'held') : 0;
  const gone = left <= 0 && stateOf(sale) === 'running'; // the badge of the card says so
  const bar = html`${!gone && html`<${StockBar} left=${left} total=${unitsOf(stats.stock, 'total')} />`}
    ${held > 0 && html`<p class="warn">${t('held_units', { n: number(held) })}</p>`}`;
  if (stateOf(sale) === 'upcoming') return bar;
  const unpaid = stats.placed + stats.unpaid;
  const kind = audit ? goodOrBad(audit.ok) : 'muted';
  return html`${bar}<dl class="small">
      <div><dt>${t('state_unpaid')}</dt><dd class=${unpaid > 0 ? 'warn' : ''}>${number(unpaid)}</dd></div>
      <div><dt>${t('state_paid')}</dt><dd>${number(stats.paid)}</dd></div>
      <div><dt>${t('orders_per_second')}</dt><dd>${number(stats.orders_per_second)}</dd></div>
      <div><dt>${t('drift')}</dt><dd class=${kind}>${audit ? number(driftOf(audit.items)) : '–'}</dd></div></dl>`;
}
