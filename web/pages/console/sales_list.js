// All sales: those that run, those that come next, and then the others, newest first.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery, useTick } from '../shared/server.js';
import { unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { Menu } from './menu.js';
import { Time, zoned } from './moment.js';
import { Filters, List, usePages } from './parts.js';
import { Clone } from './sale_actions.js';
import { addressOf, countdown, hasReport, reportOf, SaleState, SoldOut, stateOf } from './sales.js';

const clone = 'POST /activities/{activity_id}/clone';
const write = 'PUT /activities/{activity_id}';
const statsRoute = 'GET /activities/{activity_id}/stats';
const states = ['', 'draft', 'published', 'offline'];
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

const ranks = { running: 0, upcoming: 1 };

// inOrder puts the sales that were read in the order of the list.
function inOrder(sales) {
  const rank = (sale) => ranks[stateOf(sale)] ?? 2;
  const start = (sale) => (stateOf(sale) === 'upcoming' ? Date.parse(sale.starts_at) : 0);
  return sales.toSorted((a, b) => rank(a) - rank(b) || start(a) - start(b));
}

export function Sales() {
  const [filters, setFilters] = useState({ q: '', state: '' });
  const read = usePages('/activities', filters);
  const list = { ...read, items: inOrder(read.items) };
  const figures = useFigures(read);
  useTick();
  const columns = [
    [t('title'), (sale) => html`<a href=${addressOf(sale)}>${sale.title}</a>`, 'lead wide'],
    [
      t('state'),
      (sale) => html`<span class="pills"><${SaleState} sale=${sale} />
          <${SoldOut} sale=${sale} stats=${figures(sale)} /></span>
      ${['running', 'upcoming'].includes(stateOf(sale)) && html`<p class="muted">${countdown(sale)}</p>`}`,
      'end',
    ],
    [zoned(t('starts_at')), (sale) => html`<${Time} at=${sale.starts_at} />`],
    [zoned(t('ends_at')), (sale) => html`<span class="until">– </span><${Time} at=${sale.ends_at} />`],
    [t('units'), (sale) => unitsText(sale, figures(sale)), 'number named'],
    [t('paid_orders'), (sale) => (figures(sale) ? number(figures(sale).paid) : ''), 'number named'],
    [
      '',
      (sale) => html`<div class="row actions">
        ${hasReport(sale) && html`<a href=${reportOf(sale)}>${t('report')}</a>`}
        ${may(write) && html`<a class="button" href="#/edit/${sale.activity_id}">${t('edit')}</a>`}
        ${may(clone) && html`<${Menu}><${Clone} sale=${sale} kind="link" /><//>`}</div>`,
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
