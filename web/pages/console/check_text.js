// What a check of a sale has found, in words.
import { html } from '../vendor/preact-htm.js';
import { has, t } from '../shared/texts.js';
import { pointText } from './list_parts.js';

// whole are the checks whose text says all; the others add what the server says.
const whole = ['limits', 'prices', 'stock', 'times'];

export function checkText({ check, level, sku_id: sku = '', point_id: point = '', detail }) {
  const key = `check_${check}_${level}`;
  if (!has(key)) return detail;
  const more = level !== 'ok' && !whole.includes(check);
  return html`${t(key, { sku, point: pointText(point) })} ${more && html`<span class="muted">${detail}</span>`}`;
}
