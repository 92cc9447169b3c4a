// All sales, newest first.
import { html, useState } from '../shared/preact-htm.js';
import { t } from '../shared/texts.js';
import { now } from '../shared/server.js';
import { Badge, Filters, List, moment, usePages } from './parts.js';

const states = ['', 'draft', 'published', 'offline'];

// stateOf says what a sale does now: a published one is upcoming, running or ended.
export function stateOf(sale) {
  if (sale.state !== 'published') return sale.state;
  if (now() < Date.parse(sale.starts_at)) return 'upcoming';
  return now() < Date.parse(sale.ends_at) ? 'running' : 'ended';
}

// addressOf is where a sale is shown: drafts in their form, others live.
export const addressOf = (sale) => `#/${sale.state === 'draft' ? 'edit' : 'live'}/${sale.activity_id}`;

export function Sales() {
  const [filters, setFilters] = useState({ state: '' });
  const list = usePages('/activities', filters);
  const units = (sale) => sale.skus.reduce((sum, sku) => sum + sku.stock.reduce((all, p) => all + p.quantity, 0), 0);
  const columns = [
    [t('title'), (sale) => html`<a href=${addressOf(sale)}>${sale.title}</a>`],
    [t('state'), (sale) => html`<${Badge} state=${stateOf(sale)} />`],
    [t('starts_at'), (sale) => moment(sale.starts_at)],
    [t('ends_at'), (sale) => moment(sale.ends_at)],
    [t('skus'), (sale) => sale.skus.length, 'number'],
    [t('units'), units, 'number'],
    ['', (sale) => html`<a href="#/edit/${sale.activity_id}">${t('edit')}</a>`],
  ];
  return html`<div class="row heading"><h1>${t('menu_sales')}</h1><a class="button go" id="new" href="#/edit">${t('new_sale')}</a></div>
    <${Filters} fields=${[{ name: 'state', label: t('state'), options: states.map((s) => [s, t(s ? `state_${s}` : 'all')]) }]}
      values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_sales')} columns=${columns} empty=${t('sales_none')} keyOf=${(s) => s.activity_id} />`;
}
