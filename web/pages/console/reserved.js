// The reserved units of a published sale on its live page.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { moment } from './moment.js';

// ReservedLeft says how many units are still reserved, and until when.
export function ReservedLeft({ sale, stats }) {
  const units = stats?.stock.reduce((sum, { reserved = 0 }) => sum + reserved, 0);
  if (!units || !sale.reserved_for) return null;
  const text = t('reserved_left', { reserved: number(units), time: moment(sale.reserved_for.until) });
  return html`<p class="notice" id="reserved-left">${text}</p>`;
}
