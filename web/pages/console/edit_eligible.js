// Who may buy in a sale: its fields in the form, and what the server takes.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Optional } from './edit_optional.js';

// eligibleForm is what the form has of a stored sale, or of none.
export function eligibleForm(sale) {
  const { list, code, claim, early_s: early } = sale?.eligibility ?? {};
  return {
    limit_key: sale?.limit_key ?? '',
    eligible_list: list ? 'yes' : '',
    eligible_code: code ? 'yes' : '',
    eligible_claim: claim ? `${claim.name}=${claim.values.join(' ')}` : '',
    early_minutes: early ? early / 60 : '',
  };
}

// claimOf reads "tier=gold platinum". A text without "=" is an error of its field.
export function claimOf(text, field = 'eligible_claim') {
  if (!text.trim()) return undefined;
  const [, name, values] = /^\s*([^\s=]+)\s*=\s*(.+)$/.exec(text) ?? [];
  if (!name) {
    const error = new Error(t('eligible_claim_help'));
    throw Object.assign(error, { fields: { [field]: error.message } });
  }
  return { name, values: values.split(/[\s,，、]+/).filter(Boolean) };
}

// eligibilityOf is what requests have of a form, or undefined if the sale has none and gets none.
export function eligibilityOf(form, stored) {
  if (form.eligible_list === undefined) return stored?.eligibility;
  const claim = claimOf(form.eligible_claim);
  const [list, code] = [Boolean(form.eligible_list), Boolean(form.eligible_code)];
  const early = Math.round(Number(form.early_minutes) * 60);
  if (!list && !code && !claim && !early) return stored?.eligibility && { list: false };
  return { list, code, ...(claim && { claim }), ...(early > 0 && { early_s: early }) };
}

// fieldOf is the field of the form that shows a field of eligibility.
export function fieldOf(field) {
  if (field.startsWith('eligibility.claim')) return 'eligible_claim';
  return { 'eligibility.early_s': 'early_minutes' }[field];
}

// Eligible are the fields. text writes a field of the form, change changes it.
export function Eligible({ text, change, published, form, wrong }) {
  const yesNo = (name) => ({
    options: [
      ['', t('no')],
      ['yes', t('yes')],
    ],
    onChange: (e) => change({ [name]: e.target.value }),
  });
  const names = ['eligible_list', 'eligible_code', 'eligible_claim', 'early_minutes', 'limit_key'];
  return html`<${Optional} id="eligible" title=${t('edit_eligible')} used=${names.some((name) => form[name])}
      wrong=${names.some((name) => wrong[name])}>
    <p class="muted">${t('edit_eligible_help')}</p>
    <div class="columns">
      ${text('eligible_list', yesNo('eligible_list'))}${text('eligible_code', yesNo('eligible_code'))}
      ${text('eligible_claim', { help: t('eligible_claim_help'), maxlength: 1200 })}
      ${text('early_minutes', { type: 'number', min: 0, max: 43200, help: t('early_minutes_help') })}
      ${text('limit_key', { maxlength: 64, locked: published, help: t('limit_key_help') })}</div><//>`;
}
