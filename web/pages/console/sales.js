// All sales, newest first.
import { html, useState } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { clockOf, unitsOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { Time, zoned } from './moment.js';
import { Badge, Filters, List, usePages } from './parts.js';
import { salesStopped, useSettings } from './standing.js';

const write = 'PUT /activities/{activity_id}';
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

export function Sales() {
  const [filters, setFilters] = useState({ state: '' });
  const list = usePages('/activities', filters);
  const units = (sale) =>
    unitsOf(
      sale.skus.flatMap((sku) => sku.stock),
      'quantity',
    );
  const columns = [
    [t('title'), (sale) => html`<a href=${addressOf(sale)}>${sale.title}</a>`, 'lead wide'],
    [t('state'), (sale) => html`<${SaleState} sale=${sale} />`, 'end'],
    [zoned(t('starts_at')), (sale) => html`<${Time} at=${sale.starts_at} />`],
    [zoned(t('ends_at')), (sale) => html`<span class="until">– </span><${Time} at=${sale.ends_at} />`],
    [t('skus'), (sale) => number(sale.skus.length), 'number named'],
    [t('units'), (sale) => number(units(sale)), 'number named'],
    [
      '',
      (sale) => html`${hasReport(sale) && html`<a href=${reportOf(sale)}>${t('report')}</a>`}
      ${may(write) && html`<a href="#/edit/${sale.activity_id}">${t('edit')}</a>`}`,
      'tools',
    ],
  ];
  const fields = [{ name: 'state', label: t('state'), options: states.map((s) => [s, t(s ? `state_${s}` : 'all')]) }];
  return html`<div class="row heading"><h1>${t('menu_sales')}</h1>
      ${may(write) && html`<a class="button go" id="new" href="#/edit">${t('new_sale')}</a>`}</div>
    <${Filters} fields=${fields} values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_sales')} columns=${columns} empty=${t('sales_none')}
      keyOf=${(sale) => sale.activity_id} />`;
}
