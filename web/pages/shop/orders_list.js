// The orders of a filter, as many pages as were read.
import { useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { call } from '../shared/server.js';
import { inWords } from './demo_words.js';
import { follow } from './order_events.js';

const pageSize = 20;
const mostPageSize = 100;

// keepPlace keeps, for the way back, how many orders are drawn and where in them the buyer is.
export const keepPlace = (orders) => history.replaceState({ orders, top: scrollY }, '');

// readPages reads count orders of a filter, after the orders of old, or from the first order on.
async function readPages(filter, old, count) {
  let { items, cursor, partial } = old;
  const size = String(Math.min(count, mostPageSize));
  const wanted = items.length + count;
  do {
    const query = new URLSearchParams({ page_size: size, ...filter, ...(cursor && { before: cursor }) });
    const page = inWords(await call('GET', `/orders?${query}`));
    const have = new Set(items.map((order) => order.order_number));
    items = [...items, ...page.items.filter((order) => !have.has(order.order_number))];
    cursor = page.next_cursor;
    partial = page.partial;
  } while (cursor && items.length < wanted);
  return { items, cursor, partial };
}

/**
 * useOrders reads the orders of a filter: at first as many as were drawn when the buyer left, then more when the end is
 * seen, and all again after each change. Where that failed, error says why, and again whether it was not for more.
 *
 * @param {any} filter
 */
export function useOrders(filter) {
  const [list, draw] = useState({ items: [] });
  const latest = useRef(list);
  const reading = useRef(false);
  const changed = useRef(false); // while a page was read
  const end = useRef();
  const place = useRef(history.state);

  const set = (next) => {
    latest.current = next;
    draw(next);
  };
  const read = async (again) => {
    if (reading.current) {
      changed.current ||= again;
      return;
    }
    reading.current = true;
    const { items } = latest.current;
    try {
      const most = Math.max(items.length, place.current?.orders ?? 0, pageSize);
      const next = await readPages(filter, again ? { items: [] } : latest.current, again ? most : pageSize);
      set({ ...next, read: true });
    } catch (error) {
      set({ ...latest.current, error, again, read: true });
    }
    reading.current = false;
    if (!changed.current) return;
    changed.current = false;
    read(true);
  };
  const reload = () => read(true);
  const more = () => read(false);

  useEffect(() => {
    reload();
    return follow(reload);
  }, []);
  useEffect(() => {
    if (!list.read || !place.current?.top) return;
    scrollTo(0, place.current.top);
    place.current = undefined;
  }, [list.read]);
  useEffect(() => {
    if (!end.current || !list.cursor) return undefined;
    const seen = ([entry]) => entry.isIntersecting && !latest.current.error && more();
    const watcher = new IntersectionObserver(seen, { rootMargin: '400px' });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [list]); // the end may have been seen while another page was read
  return { ...list, reload, more, end };
}
