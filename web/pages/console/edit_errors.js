// The server's errors, each at the field of the form that it is about.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { fieldOf } from './edit_eligible.js';
import { reservedField } from './edit_reserved.js';
import { Stale } from './stale.js';
import { sentence } from './wrong.js';

const formNames = {
  pay_within_s: 'pay_within',
  pay_grace_s: 'pay_grace',
  'waiting_room.paths_per_second': 'paths_per_second',
  waiting_room: 'paths_per_second',
};
const cells = { sku_id: 'sku', flash_price: 'price', purchase_limit: 'limit' };
const labels = {
  waves: 'waves',
  reserved: 'reserved',
  parts: 'bundles',
  price: 'flash_price',
  limit: 'sku_limit',
  units: 'units',
  sku: 'sku',
};

// nameOf is the name of the form's field for a field of the request, such as skus[0].stock[1].quantity, or undefined.
function nameOf(field, sent, form, columns) {
  const limit = /^limits\.(item|user|ip)/.exec(field);
  if (limit) return `limit_${limit[1]}`;
  if (field.startsWith('segments[')) return 'segments';
  if (field.startsWith('eligibility')) return fieldOf(field);
  if (field.startsWith('reserved_for')) return reservedField(field);
  const [, index, rest] = /^skus\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  if (index === undefined) return formNames[field] ?? (field in form ? field : undefined);
  const sku = sent.skus?.[Number(index)];
  const row = form.skus.findIndex((other) => other.sku_id === sku?.sku_id);
  if (row < 0) return undefined;
  if (rest.startsWith('waves')) return `waves-${row}`;
  if (rest.startsWith('reserved')) return `reserved-${row}`;
  if (rest.startsWith('parts')) return `parts-${row}`;
  if (cells[rest]) return `${cells[rest]}-${row}`;
  const [, stock] = /^stock\[(\d+)\]/.exec(rest) ?? [];
  const column = stock === undefined ? 0 : columns.indexOf(sku.stock[Number(stock)].point_id);
  return `units-${row}-${Math.max(0, column)}`;
}

// placed returns the errors of an invalid request by the names of the form's fields, and the others: {fields, rest}.
// sent is the body of the request; columns are the stock points of the table.
export function placed(error, sent, form, columns) {
  const found = { fields: {}, rest: [] };
  for (const { field, detail } of error?.problem?.errors ?? []) {
    const name = nameOf(field, sent ?? {}, form, columns);
    if (name && !found.fields[name]) found.fields[name] = sentence(detail);
    else if (!name) found.rest.push({ field, detail });
  }
  for (const [name, text] of Object.entries(error?.fields ?? {})) found.fields[name] = text;
  return found;
}

// labelOf names a field as the form does.
function labelOf(name, form, { titleOf }) {
  const [, kind, row] = /^(sku|price|limit|units|waves|reserved|parts)-(\d+)/.exec(name) ?? [];
  return kind ? `${titleOf(form.skus[Number(row)]?.sku_id)}: ${t(labels[kind])}` : t(name);
}

// goTo takes the reader to a field of the form.
export function goTo(name) {
  const field = /** @type {HTMLElement} */ (document.querySelector(`.edit [name="${name}"]`));
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}

// Wrong says which fields are wrong, and why. Other errors are shown as everywhere.
export function Wrong({ error, wrong, form, names, mine, theirs, apart }) {
  const fields = Object.keys(wrong.fields);
  if (fields.length === 0) return html`<${Stale} ...${{ error, mine, theirs, apart }} />`;
  return html`<div class="problem" role="alert" id="wrong">
    ${fields.map(
      (name) => html`<p><button type="button" class="link" onClick=${() => goTo(name)}>
        ${labelOf(name, form, names)}</button>: ${wrong.fields[name]}</p>`,
    )}
    ${wrong.rest.map((e) => html`<p class="muted"><code>${e.field}</code> ${e.detail}</p>`)}</div>`;
}
