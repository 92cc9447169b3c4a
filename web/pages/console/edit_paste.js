// Cells between a spreadsheet and the table of a sale's skus.
import { t } from '../shared/texts.js';
import { joined } from '../shared/ids.js';
import { isBundle } from '../shared/sale_figures.js';
import { emptySku, isDelivered, withUnits } from './edit_form.js';

// cellsOf splits what a spreadsheet copies into rows of cells.
export const cellsOf = (text) =>
  text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((row) => row.split('\t').map((cell) => cell.trim()));

// numberIn returns the number of a cell such as "¥1,234.50" as a field takes it, '' if it is empty, or undefined.
function numberIn(cell) {
  if (cell === '') return '';
  let text = cell.replace(/^[^\d.,-]+|[^\d.,]+$/g, '').replace(/\s/g, '');
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) text = text.replaceAll(',', '');
  text = text.replace(/^(\d+),(\d+)$/, '$1.$2');
  return /^\d+(\.\d+)?$/.test(text) ? text : undefined;
}

// The columns that are no stock points; no point has such an id.
export const price = joined('', 'price');
export const limit = joined('', 'limit');

const alike = (a, b) => a.toLowerCase() === b.toLowerCase();

// named finds the first of items that has an id or a title as it is, or else without regard to case.
const named = (items, id, title, text) =>
  items.find((item) => item[id] === text) ?? items.find((item) => alike(item[id], text) || alike(item[title], text));

// skuIn finds the sku that a cell names, by its id or its title.
const skuIn = (cell = '', skus) => named(skus, 'sku_id', 'title', cell);

// columnIn finds the column that a heading names: price, limit, or the id of a stock point.
function columnIn(heading, points) {
  if (['flash_price', 'price', t('flash_price')].some((name) => alike(name, heading))) return price;
  if (['purchase_limit', 'limit', t('sku_limit')].some((name) => alike(name, heading))) return limit;
  if (alike(t('units'), heading)) return '0';
  return named(points, 'point_id', 'name', heading)?.point_id;
}

// placesOf says where each row goes: {id or row, cells, columns}. If each row begins with a sku, the rows find their
// skus by themselves, and a row of headings before them names the columns; or else they fill the cells from at on.
function placesOf(rows, at, columns, { skus, points }) {
  const body = skuIn(rows[0][0], skus) ? rows : rows.slice(1);
  if (body.length > 0 && rows[0].length > 1 && body.every(([first]) => skuIn(first, skus))) {
    const headings = body === rows ? columns : rows[0].slice(1).map((heading) => columnIn(heading, points));
    return body.map(([first, ...cells]) => ({ id: skuIn(first, skus).sku_id, cells, columns: headings }));
  }
  return rows.map((cells, i) => ({ row: at.row + i, cells, columns: columns.slice(Math.max(0, at.column)) }));
}

// withCell returns a sku with a cell, or undefined where the cell is locked or takes no such text.
function withCell(sku, column, cell, { skus, draft, started }) {
  const text = numberIn(cell);
  if (text === undefined || column === undefined) return undefined;
  if (column === limit) return { ...sku, purchase_limit: text };
  if (column === price) return started || text === '' ? undefined : { ...sku, flash_price: text };
  if (!draft || isBundle(sku) || (column !== '0' && !isDelivered(sku.sku_id, skus)))
    return text === '' ? sku : undefined;
  return withUnits(sku, column, text);
}

// pasted returns a form with cells: {form, filled, skipped}. at is the cell that they were pasted into, {row, column};
// columns are the columns of the table. world has the skus, the stock points, and the locked fields.
export function pasted(form, rows, at, columns, world) {
  const skus = [...form.skus];
  const counts = { filled: 0, skipped: 0 };
  for (const place of placesOf(rows, at, columns, world)) {
    let row = place.row ?? skus.findIndex((sku) => sku.sku_id === place.id);
    if (row < 0 && world.draft) {
      const sku = world.skus.find((s) => s.sku_id === place.id);
      row = skus.push({ ...emptySku(sku, world.points), stock: [] }) - 1;
    }
    place.cells.forEach((cell, i) => {
      const next = skus[row] && withCell(skus[row], place.columns[i], cell, world);
      if (next) skus[row] = next;
      counts[next ? 'filled' : 'skipped'] += 1;
    });
  }
  return { form: { ...form, skus }, ...counts };
}

// copied is the table as a spreadsheet pastes it: with headings, and the ids of the skus first.
export function copied(form, columns, points) {
  const headings = columns.map((column) => {
    if (column === price) return 'flash_price';
    if (column === limit) return 'purchase_limit';
    return points.find((point) => point.point_id === column)?.point_id ?? column;
  });
  const cell = (sku, column) => {
    if (column === price) return sku.flash_price;
    if (column === limit) return sku.purchase_limit;
    return isBundle(sku) ? '' : (sku.stock.find((stock) => stock.point_id === column)?.quantity ?? '');
  };
  const rows = form.skus.map((sku) => [sku.sku_id, ...columns.map((column) => cell(sku, column))]);
  return [['sku_id', ...headings], ...rows].map((row) => row.join('\t')).join('\n');
}
