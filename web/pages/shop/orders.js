// My orders: by status, newest first; more come when one scrolls, and changes appear by themselves.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { money, t, time } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { unitsOf } from '../shared/sale_figures.js';
import { follow } from './order_events.js';
import { Loading, Picture, Problem, Select, toneOf, valuesOf } from '../shared/parts.js';

const statuses = ['', 'unpaid', 'paid', 'cancelled', 'refunded'];
const pageSize = 20;

const kinds = ['', 'physical', 'virtual', 'voucher'];
const types = ['', 'seckill', 'ordinary'];
const periods = ['', 'last_three_months', 'older'];

export function Orders() {
  const [status, setStatus] = useState('');
  const [filter, setFilter] = useState({});
  const search = (e) => {
    e.preventDefault();
    const set = Object.entries(valuesOf(e.currentTarget)).filter(([, value]) => value);
    setFilter(Object.fromEntries(set));
  };
  const choice = (name, values) => html`<label>${t(`filter_${name}`)}<${Select} id="filter-${name}" name=${name}
    value=${filter[name] ?? ''} options=${values.map((v) => [v, t(`${name}_${v || 'all'}`)])}
    onChange=${(e) => e.target.form.requestSubmit()} /></label>`;
  return html`<h1>${t('orders_title')}</h1>
    <div class="row tabs" role="group" aria-label=${t('orders_title')}>${statuses.map(
      (s) => html`
      <button aria-pressed=${s === status} onClick=${() => setStatus(s)}>${t(`status_${s || 'all'}`)}</button>`,
    )}</div>
    <form class="row filters" role="search" aria-label=${t('filter')} onSubmit=${search}>
      <label>${t('filter_name')}<input type="search" id="filter-name" name="name" maxlength="200" /></label>
      <label>${t('filter_order_number')}<input id="filter-number" name="order_number" inputmode="numeric"
        pattern="[0-9]{1,19}" /></label>
      ${choice('kind', kinds)}${choice('type', types)}${choice('period', periods)}
      <button class="quiet">${t('filter')}</button></form>
    <${List} key=${JSON.stringify([status, filter])} filter=${{ status, ...filter }} />`;
}

function List({ filter }) {
  const [list, set] = useState({ items: [] });
  const end = useRef();
  const reading = useRef(false);

  // read reads the next page, or again as many orders as are drawn.
  const read = async (again) => {
    if (reading.current) return;
    reading.current = true;
    try {
      const wanted = again ? Math.max(list.items.length, pageSize) : pageSize;
      let [items, cursor, partial] = again ? [[], '', false] : [list.items, list.cursor ?? '', list.partial];
      for (let got = 0; got < wanted;) {
        const query = new URLSearchParams({
          page_size: String(pageSize),
          ...filter,
          ...(cursor && { before: cursor }),
        });
        const page = await call('GET', `/orders?${query}`);
        items = [...items, ...page.items.filter((o) => !items.some((have) => have.order_number === o.order_number))];
        cursor = page.next_cursor;
        partial = page.partial;
        got += page.items.length;
        if (!cursor) break;
      }
      set({ items, cursor, partial, read: true });
    } catch (error) {
      set((old) => ({ ...old, error, read: true }));
    } finally {
      reading.current = false;
    }
  };
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    latest.current(true);
    return follow(() => latest.current(true));
  }, []);
  useEffect(() => {
    if (!end.current || !list.cursor) return undefined;
    const seen = ([entry]) => entry.isIntersecting && latest.current(false);
    const watcher = new IntersectionObserver(seen, { rootMargin: '400px' });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [list.cursor]);
  if (!list.read) return html`<${Loading} />`;
  return html`<${Problem} error=${list.error} retry=${() => read(true)} />
    ${list.partial && html`<p class="notice">${t('orders_partial')}</p>`}
    ${list.items.length === 0 && !list.error && html`<p class="empty">${t('orders_none')}</p>`}
    <ul class="list">${list.items.map((o) => html`<li key=${o.order_number}><${Row} order=${o} /></li>`)}</ul>
    <div ref=${end}>${list.cursor && html`<p class="muted" role="status">${t('orders_more')} …</p>`}</div>`;
}

function Row({ order }) {
  const units = unitsOf(order.items, 'quantity');
  const [first] = order.items;
  return html`<a class="card row-order" href="#/order/${order.order_number}">
    <${Picture} url=${first.image_url} title=${first.title} tone=${toneOf(first.sku_id)} />
    <span><b>${order.items.map((item) => item.title).join(', ')}</b><br />
      <span class="muted">${t('items', { count: units })} · ${time(order.placed_at)}</span></span>
    <span class="end"><b>${money(order.total_amount, order.currency)}</b><br />
      <span class="badge ${order.status}">${t(`status_${order.status}`)}</span></span></a>`;
}
