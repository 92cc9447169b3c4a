// All sales, newest first.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { call, useEvery, useTick } from '../shared/server.js';
import { clockOf, unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { Time, zoned } from './moment.js';
import { Badge, Filters, List, usePages } from './parts.js';
import { salesStopped, useSettings } from './standing.js';

const write = 'PUT /activities/{activity_id}';
const statsRoute = 'GET /activities/{activity_id}/stats';
const soon = 3_600_000; // ms before its start, in which a sale should be ready
const states = ['', 'draft', 'published', 'offline'];

// stateOf says what a sale does now: a published one is upcoming, running or ended.
export function stateOf(sale) {
  return sale.state === 'published' ? clockOf(sale).phase : sale.state;
}

// shownState is the state of a sale in a badge: one that would run is stopped while all sales are.
export const shownState = (sale) => (stateOf(sale) === 'running' && salesStopped() ? 'stopped' : stateOf(sale));

// SaleState shows what a sale does now, or that it is paused.
export function SaleState({ sale }) {
  useSettings();
  const open = ['running', 'upcoming'].includes(stateOf(sale));
  return html`<${Badge} state=${open && sale.paused_at ? 'paused' : shownState(sale)} />`;
}

// SoldOut shows that a sale runs and has no unit left, which its state doesn't say. Units of unpaid orders may return.
export const SoldOut = ({ sale, stats }) =>
  stateOf(sale) === 'running' &&
  stats &&
  unitsLeft(stats) === 0 &&
  html`<span class="badge ${unitsOf(stats.stock, 'held') > 0 ? 'warn' : ''} sold-out">${t('sold_out')}</span>`;

// startsSoon reports whether a sale should be ready: it runs, or starts within an hour.
export function startsSoon(sale) {
  const state = stateOf(sale);
  return state === 'running' || (state === 'upcoming' && clockOf(sale).left < soon);
}

// countdown says when a sale begins or ends. Drafts and closed sales do neither.
export function countdown(sale) {
  if (sale.state !== 'published') return '';
  const { phase, left } = clockOf(sale);
  if (phase === 'upcoming') return t('starts_in', { time: duration(left) });
  return phase === 'running' ? t('ends_in', { time: duration(left) }) : t('ended_ago');
}

// addressOf is where a sale is shown: drafts in their form, others live.
export const addressOf = (sale) => `#/${sale.state === 'draft' ? 'edit' : 'live'}/${sale.activity_id}`;

// hasReport says whether a sale is over, so that a list shows its report.
export const hasReport = (sale) =>
  ['ended', 'offline'].includes(stateOf(sale)) && may('GET /activities/{activity_id}/report');

export const reportOf = (sale) => `#/report/${encodeURIComponent(sale.activity_id)}`;

const followed = 12; // running sales of a list whose figures are read

// useFigures reads the figures of the sales of a list that run: those of a sale by its id.
function useFigures(list) {
  const { value, reload } = useEvery(5000, async () => {
    const running = list.items.filter((sale) => stateOf(sale) === 'running' && may(statsRoute)).slice(0, followed);
    const read = ({ activity_id: id }) => call('GET', `/activities/${id}/stats`).catch(() => undefined);
    return Object.fromEntries(await Promise.all(running.map(async (sale) => [sale.activity_id, await read(sale)])));
  });
  useEffect(() => {
    if (list.items.length > 0) reload(); // the first read came before the list
  }, [list.items]);
  return (sale) => value?.[sale.activity_id];
}

// unitsText is how many units a sale has, and how many of them are left if that is known.
function unitsText(sale, stats) {
  const total = unitsOf(
    sale.skus.flatMap((sku) => sku.stock),
    'quantity',
  );
  const left = stats && unitsLeft(stats);
  return left === undefined ? number(total) : t('units_left', { left: number(left), total: number(total) });
}

export function Sales() {
  const [filters, setFilters] = useState({ q: '', state: '' });
  const list = usePages('/activities', filters);
  const figures = useFigures(list);
  useTick();
  const columns = [
    [t('title'), (sale) => html`<a href=${addressOf(sale)}>${sale.title}</a>`, 'lead wide'],
    [
      t('state'),
      (sale) => html`<${SaleState} sale=${sale} /><div><${SoldOut} sale=${sale} stats=${figures(sale)} /></div>
      ${['running', 'upcoming'].includes(stateOf(sale)) && html`<p class="muted">${countdown(sale)}</p>`}`,
      'end',
    ],
    [zoned(t('starts_at')), (sale) => html`<${Time} at=${sale.starts_at} />`],
    [zoned(t('ends_at')), (sale) => html`<span class="until">– </span><${Time} at=${sale.ends_at} />`],
    [t('units'), (sale) => unitsText(sale, figures(sale)), 'number named'],
    [t('paid_orders'), (sale) => (figures(sale) ? number(figures(sale).paid) : ''), 'number named'],
    [
      '',
      (sale) => html`${hasReport(sale) && html`<a href=${reportOf(sale)}>${t('report')}</a>`}
      ${may(write) && html` <a class="button" href="#/edit/${sale.activity_id}">${t('edit')}</a>`}`,
      'tools',
    ],
  ];
  const fields = [
    { name: 'q', type: 'search', label: t('sales_search'), maxlength: 128 },
    { name: 'state', label: t('state'), options: states.map((s) => [s, t(s ? `state_${s}` : 'all')]) },
  ];
  return html`<div class="row heading"><h1>${t('menu_sales')}</h1>
      ${may(write) && html`<a class="button go" id="new" href="#/edit">${t('new_sale')}</a>`}</div>
    <${Filters} fields=${fields} values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_sales')} columns=${columns}
      empty=${t(filters.q ? 'sales_not_found' : 'sales_none')} keyOf=${(sale) => sale.activity_id} />`;
}
