// What a check of a sale has found, in words.
import { html } from '../vendor/preact-htm.js';
import { has, t } from '../shared/texts.js';
import { pointText } from './list_parts.js';

// ofInstallation are the checks of what all sales share. What the server says of them is for who runs it.
export const ofInstallation = ['persistence', 'channels'];

// whole are the checks whose text says all; the others add what the server says.
const whole = ['limits', 'prices', 'stock', 'times'];

function Detail({ check, detail }) {
  if (whole.includes(check)) return null;
  if (!ofInstallation.includes(check)) return html`<span class="muted">${detail}</span>`;
  return html`<details class="raw"><summary>${t('for_administrator')}</summary>${detail}</details>`;
}

const ids = { titleOf: (id) => id, pricesOf: (_) => [] };

// checkText says what was found, of one sku or of several, with their titles and prices where names has them.
export function checkText(found, { titleOf, pricesOf } = ids) {
  const { check, level, sku_id: id, skus = [id], point_id: point = '', detail } = found;
  const key = `check_${check}_${level}`;
  if (!has(key)) return detail;
  if (/ no longer exists$/.test(detail))
    return id ? t('check_gone_sku', { sku: titleOf(id) }) : t('check_gone_point', { point: pointText(point) });
  const [flash, list] = pricesOf(id);
  const values = { sku: skus.filter(Boolean).map(titleOf).join(t('comma')), point: pointText(point), flash, list };
  return html`${t(key, values)} ${level !== 'ok' && html`<${Detail} ...${found} />`}`;
}
