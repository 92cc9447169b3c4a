// My orders: filtered by what stands in the address, newest first; more come when one scrolls, and changes appear by
// themselves. Whoever comes back finds the place that was left.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { useTick } from '../shared/server.js';
import { Loading, Problem, Select, valuesOf } from '../shared/parts.js';
import { Empty } from './empty.js';
import { keepPlace, useOrders } from './orders_list.js';
import { OrderRow } from './orders_row.js';

const statuses = ['', 'unpaid', 'paid', 'cancelled', 'refunded', 'failed'];
const kinds = ['', 'physical', 'virtual', 'voucher'];
const types = ['', 'seckill', 'ordinary'];
const periods = ['', 'last_three_months', 'older'];
const names = ['status', 'name', 'order_number', 'kind', 'type', 'period'];

// filterOf returns the filter of a query, without empty or unknown parameters.
function filterOf(query) {
  const set = new URLSearchParams(query);
  return Object.fromEntries(names.map((name) => [name, set.get(name)]).filter(([, value]) => value));
}

// useFilter returns the filter in the address, and a function that sets it there.
function useFilter(query) {
  const [filter, set] = useState(() => filterOf(query));
  useEffect(() => {
    const moved = () => location.hash.startsWith('#/orders') && set(filterOf(location.hash.split('?')[1]));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const change = (values) => {
    const next = filterOf(new URLSearchParams(values));
    const text = new URLSearchParams(next).toString();
    history.replaceState(null, '', text ? `#/orders?${text}` : '#/orders');
    set(next);
  };
  return [filter, change];
}

export function Orders({ query }) {
  const [filter, change] = useFilter(query);
  const [open, unfold] = useState(false); // the filters
  const set = names.filter((name) => name !== 'status' && filter[name]).length;
  const form = () => valuesOf(document.querySelector('form.filters'));
  const search = (e) => {
    e.preventDefault();
    change({ ...form(), status: filter.status ?? '' });
  };
  const choice = (name, values) => html`<label>${t(`filter_${name}`)}<${Select} id="filter-${name}" name=${name}
    value=${filter[name] ?? ''} options=${values.map((v) => [v, t(`${name}_${v || 'all'}`)])}
    onChange=${(e) => e.target.form.requestSubmit()} /></label>`;
  return html`<div class="row orders-head"><h1>${t('orders_title')}</h1>
      <button type="button" id="filters" aria-expanded=${open} aria-controls="filters-form"
        onClick=${() => unfold(!open)}>${t(set > 0 ? 'filters_set' : 'filters', { count: set })}</button></div>
    <div class="row tabs" role="group" aria-label=${t('orders_title')}>${statuses.map(
      (s) => html`
      <button aria-pressed=${s === (filter.status ?? '')} onClick=${() => change({ ...form(), status: s })}>
        ${t(`status_${s || 'all'}`)}</button>`,
    )}</div>
    <form id="filters-form" class="row filters ${open ? 'unfolded' : ''}" role="search"
      aria-label=${t('filter')} onSubmit=${search}>
      <label>${t('filter_name')}<input type="search" id="filter-name" name="name" maxlength="200"
        value=${filter.name ?? ''} /></label>
      <label>${t('filter_order_number')}<input id="filter-number" name="order_number" inputmode="numeric"
        pattern="[0-9]{1,19}" value=${filter.order_number ?? ''} /></label>
      ${choice('kind', kinds)}${choice('type', types)}${choice('period', periods)}
      <button class="quiet">${t('filter')}</button>
      ${
        set > 0 &&
        html`<button type="button" class="quiet" id="filters-none"
          onClick=${() => change({ status: filter.status ?? '' })}>${t('filters_none')}</button>`
      }</form>
    <${List} key=${JSON.stringify(filter)} filter=${filter} all=${() => change({})} />`;
}

// List shows the orders of a filter. all removes the filter.
function List({ filter, all }) {
  const { items, cursor, partial, error, again, read, reload, more, end } = useOrders(filter);
  useTick(items.some((order) => order.status === 'unpaid') ? 1000 : 60_000);
  if (!read) return html`<${Loading} />`;
  return html`${again && html`<${Problem} error=${error} retry=${reload} />`}
    ${partial && html`<p class="notice">${t('orders_partial')}</p>`}
    ${items.length === 0 && !error && html`<${None} filtered=${Object.keys(filter).length > 0} all=${all} />`}
    <ul class="list orders" onClickCapture=${() => keepPlace(items.length)}>${items.map(
      (order) => html`<${OrderRow} key=${order.order_number} order=${order} reload=${reload} />`,
    )}</ul>
    <div ref=${end}>${!again && html`<${Problem} error=${error} retry=${more} />`}
      ${cursor && !error && html`<p class="muted" role="status">${t('orders_more')} …</p>`}</div>`;
}

function None({ filtered, all }) {
  if (filtered) {
    return html`<div class="empty none-match"><p>${t('orders_none_match')}</p>
      <button type="button" onClick=${all}>${t('orders_all')}</button></div>`;
  }
  return html`<${Empty} icon="orders" text=${t('orders_none')}>
    <a class="button go" href="#/">${t('first_page')}</a><//>`;
}
