// Who may buy in a sale that is for some buyers only, or whose units are partly: said before the button, with the field
// for a code.
import { html, useState } from '../vendor/preact-htm.js';
import { moment, number, t } from '../shared/texts.js';

const kept = new Map(); // the codes that were typed, by sale, while the page is open

// codeOf is the code that the buyer has typed for a sale, or undefined.
export const codeOf = (activity) => kept.get(activity) || undefined;

// isEarly reports whether a sale that has not started sells to some buyers already.
export const isEarly = (sale, now) =>
  sale.state === 'upcoming' && sale.eligibility?.early_at && now >= Date.parse(sale.eligibility.early_at);

// opensAt returns when more units of a sku are sold to everybody: a wave opens, or units are reserved no longer.
export const opensAt = (sale, sku) => sku?.next_wave_at ?? (sku?.reserved ? openedAt(sale) : undefined);

// openedAt returns until when units are reserved, unless the sale ends before.
function openedAt({ reserved_for: reserved, ends_at: end }) {
  return Date.parse(reserved?.until) >= Date.parse(end) ? undefined : reserved?.until;
}

// noticeOf says for whom a sale is, or some of its units are; nothing if they are for everybody.
function noticeOf({ eligibility: may, reserved_for: reserved, skus, state }) {
  if (may && !(may.early_at && state !== 'upcoming'))
    return may.early_at ? t('eligible_early', { time: moment(may.early_at) }) : t('eligible_only');
  const units = skus.reduce((sum, sku) => sum + (sku.reserved ?? 0), 0);
  if (!reserved || state === 'ended' || units === 0) return undefined;
  return t('eligible_reserved', { units: number(units), time: moment(reserved.until) });
}

// Eligible says for whom a sale is, and takes a code.
export function Eligible({ sale }) {
  const [code, type] = useState(kept.get(sale.activity_id) ?? '');
  const notice = noticeOf(sale);
  if (!notice) return null;
  const typed = (e) => {
    kept.set(sale.activity_id, e.target.value.trim());
    type(e.target.value);
  };
  return html`<div class="notice" id="eligible">
    <p>${notice}</p>
    ${
      (sale.eligibility?.code || sale.reserved_for?.code) &&
      html`<div class="field"><label for="code">${t('eligible_code')}</label>
      <input id="code" name="code" value=${code} maxlength="64" autocomplete="off" autocapitalize="characters"
        spellcheck=${false} onInput=${typed} /></div>`
    }</div>`;
}
