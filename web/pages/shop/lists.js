// Lists that are read page by page.
import { call } from '../shared/server.js';
import { inWords } from './demo_words.js';

const mostPages = 20;

/**
 * readAll returns the items of a list that is read by its cursor, and whether these are all.
 *
 * @param {string} path
 * @param {Record<string, string>} [filter]
 */
export async function readAll(path, filter) {
  const items = [];
  let after;
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ page_size: '100', ...filter, ...(after && { after }) });
    const read = await call('GET', `${path}?${query}`);
    items.push(...inWords(read.items));
    after = read.next_cursor;
    if (!after) return { items, whole: true };
  }
  return { items, whole: false };
}
