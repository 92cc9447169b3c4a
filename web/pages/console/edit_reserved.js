// The units of a sale that are reserved for some buyers until a time: the form's fields, and what the server takes.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { claimOf } from './edit_eligible.js';
import { Optional } from './edit_optional.js';
import { pointText } from './list_parts.js';
import { Field } from './parts.js';
import { local, utc } from './sale_actions.js';

// reservedForm is what the form has of a stored sale, or of none, beside the units of its skus.
export function reservedForm(sale) {
  const { until, list, code, claim } = sale?.reserved_for ?? {};
  return {
    reserved_until: until ? local(until) : '',
    reserved_list: list ? 'yes' : '',
    reserved_code: code ? 'yes' : '',
    reserved_claim: claim ? `${claim.name}=${claim.values.join(' ')}` : '',
  };
}

// reservedForOf is what requests have of a form, or undefined if the sale has none and gets none.
export function reservedForOf(form, stored) {
  if (form.reserved_list === undefined) return stored?.reserved_for;
  const claim = claimOf(form.reserved_claim, 'reserved_claim');
  const [list, code] = [Boolean(form.reserved_list), Boolean(form.reserved_code)];
  if (!list && !code && !claim) return stored?.reserved_for && { list: false };
  const until = form.reserved_until ? utc(form.reserved_until, stored?.reserved_for?.until) : undefined;
  return { list, code, ...(claim && { claim }), ...(until && { until }) };
}

// reservedOf are the reserved units of a sku as requests have them; undefined if it never had any.
export const reservedOf = ({ reserved }) =>
  reserved
    ?.filter(({ quantity }) => Number(quantity) > 0)
    .map(({ point_id, quantity }) => ({ point_id, quantity: Number(quantity) }));

// reservedField is the field of the form that shows a field of reserved_for.
export const reservedField = (field) => (field.startsWith('reserved_for.claim') ? 'reserved_claim' : 'reserved_until');

// withReserved returns a sku with another number of reserved units at a stock point.
function withReserved(sku, point, quantity) {
  const others = (sku.reserved ?? []).filter(({ point_id }) => point_id !== point);
  return { ...sku, reserved: quantity === '' ? others : [...others, { point_id: point, quantity }] };
}

// Reserved are the fields.
export function Reserved({ form, change, skus, points, wrong }) {
  const text = (name, rest) => html`<${Field} label=${t(name)} name=${name} value=${form[name]} error=${wrong[name]}
    onInput=${(e) => change({ [name]: e.target.value })} ...${rest} />`;
  const yesNo = (name) => ({
    options: [
      ['', t('no')],
      ['yes', t('yes')],
    ],
    onChange: (e) => change({ [name]: e.target.value }),
  });
  const put = (i, point, quantity) =>
    change((old) => ({ skus: old.skus.map((sku, k) => (k === i ? withReserved(sku, point, quantity) : sku)) }));
  const nameOf = (id) => pointText(id, points.find(({ point_id }) => point_id === id)?.name);
  const labelOf = (sku, id) => {
    const title = skus.find(({ sku_id }) => sku_id === sku.sku_id)?.title ?? sku.sku_id;
    return t('reserved_of', { sku: sku.stock.length > 1 ? `${title}, ${nameOf(id)}` : title });
  };
  const names = ['reserved_until', 'reserved_list', 'reserved_code', 'reserved_claim'];
  const used = names.some((name) => form[name]) || form.skus.some((sku) => reservedOf(sku)?.length > 0);
  return html`<${Optional} id="reserved" title=${t('reserved')} used=${used}
      wrong=${Object.keys(wrong).some((name) => name.startsWith('reserved'))}>
    <p class="muted">${t('reserved_help')}</p>
    <div class="columns">
      ${text('reserved_until', { type: 'datetime-local', step: 1, help: t('reserved_until_help') })}
      ${text('reserved_list', yesNo('reserved_list'))}${text('reserved_code', yesNo('reserved_code'))}
      ${text('reserved_claim', { help: t('eligible_claim_help'), maxlength: 1200 })}
      ${form.skus.flatMap((sku, i) =>
        sku.stock.map(
          ({ point_id: id }, k) => html`<${Field} key=${`${sku.sku_id} ${id}`} type="number" min="0"
            name=${k === 0 ? `reserved-${i}` : `reserved-${i}-${id}`} label=${labelOf(sku, id)}
            error=${k === 0 ? wrong[`reserved-${i}`] : undefined}
            placeholder=${t('optional_none')}
            value=${sku.reserved?.find(({ point_id }) => point_id === id)?.quantity ?? ''}
            onInput=${(e) => put(i, id, e.target.value)} />`,
        ),
      )}</div><//>`;
}
