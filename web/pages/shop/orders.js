// My orders: by status, newest first; more come when one scrolls, and changes appear by themselves.
import { html, useEffect, useRef, useState } from '../shared/preact-htm.js';
import { money, t, time } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { follow } from './follow.js';
import { Loading, Picture, Problem, toneOf } from '../shared/parts.js';

const statuses = ['', 'unpaid', 'paid', 'cancelled', 'refunded'];
const pageSize = 20;

export function Orders() {
  const [status, setStatus] = useState('');
  return html`<h1>${t('orders_title')}</h1>
    <div class="row tabs" role="group" aria-label=${t('orders_title')}>${statuses.map((s) => html`
      <button aria-pressed=${s === status} onClick=${() => setStatus(s)}>${t(`status_${s || 'all'}`)}</button>`)}</div>
    <${List} key=${status} status=${status} />`;
}

function List({ status }) {
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
        const query = new URLSearchParams({ page_size: pageSize, status, ...(cursor && { before: cursor }) });
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
  useEffect(() => { latest.current(true); return follow(() => latest.current(true)); }, []);
  useEffect(() => {
    if (!end.current || !list.cursor) return undefined;
    const watcher = new IntersectionObserver(([seen]) => seen.isIntersecting && latest.current(false), { rootMargin: '400px' });
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
  const units = order.items.reduce((sum, item) => sum + item.quantity, 0);
  const [first] = order.items;
  return html`<a class="card row-order" href="#/order/${order.order_number}">
    <${Picture} url=${first.image_url} title=${first.title} tone=${toneOf(first.sku_id)} />
    <span><b>${order.items.map((item) => item.title).join(', ')}</b><br />
      <span class="muted">${t('items', { count: units })} · ${time(order.placed_at)}</span></span>
    <span class="end"><b>${money(order.total_amount, order.currency)}</b><br />
      <span class="badge ${order.status}">${t(`status_${order.status}`)}</span></span></a>`;
}
