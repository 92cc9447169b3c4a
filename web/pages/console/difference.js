// What a change changed, or will change: each field with its old and its new value.
import { html } from '../vendor/preact-htm.js';
import { has, number, t } from '../shared/texts.js';
import { dotted } from '../shared/phrases.js';
import { moment } from './moment.js';

// labels are the texts of fields, where they have another name. A field without a text keeps its name.
const labels = {
  enabled: 'enabled',
  images: 'image_url',
  paused: 'state_paused',
  paused_at: 'field_paused_at',
  point_id: 'point',
  pay_within_s: 'field_pay_within_s',
  pay_grace_s: 'field_pay_grace_s',
  sku_id: 'sku',
  stock: 'units',
  total: 'units_total',
  types: 'event_types',
  updated_at: 'field_updated_at',
  url: 'address',
  waiting_room: 'room',
};

// What the program keeps for itself says nothing to an operator.
const inner = ['change_id', 'lane', 'version', 'published_at', 'updated_at'];

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

// labelOf is a path of names, such as skus/bell/flash_price, in words. A field of a sku has its title before it.
function labelOf(parts, titleOf) {
  const [first, id, ...rest] = parts;
  if (first === 'skus' && id) return [titleOf(id), ...(rest.length > 0 ? [labelOf(rest, titleOf)] : [])].join(': ');
  const words = parts.map((name) => {
    const key = labels[name] ?? name;
    return has(key) && !t(key).includes('{') ? t(key) : name;
  });
  return words.join(' · ');
}

// codes are the kinds of words for the values of fields.
const codes = { state: ['state'], status: ['state'], kind: ['kind', 'block'] };

function textOf(value, name) {
  const kind = codes[name]?.find((of) => has(`${of}_${value}`));
  if (kind) return t(`${kind}_${value}`);
  if (value === undefined || value === null) return '';
  if (value === true || value === false) return t(value ? 'yes' : 'no');
  if (typeof value === 'number') return value === -1 ? t('no_limit') : number(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  return time.test(value) ? moment(value) : value;
}

// partsOf takes apart a path as the server writes it, such as skus[bell].flash_price; ids may have dots.
const partsOf = (path) => [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([name, id]) => id ?? name);

// actionText says what an operator did, by a code such as sku.changed.
export function actionText(action) {
  const key = `action_${action.replace('.', '_')}`;
  return has(key) ? t(key) : action;
}

// shownFields are the fields of a change that say something to an operator. A change of stock is of one sku at one
// point, which stay the same.
export function shownFields({ fields, before, after }) {
  const of = { ...before, ...after };
  const where = ['sku_id', 'point_id']
    .filter((name) => of[name] && !fields.some(({ field }) => field === name))
    .map((name) => ({ field: name, to: of[name] }));
  return [...where, ...fields.filter(({ field }) => !inner.includes(field))];
}

// Fields shows fields that changed, {field, from, to}, as the server lists them. titleOf is the title of a sku.
/** @param {any} props */
export function Fields({ fields, titleOf = (id) => id }) {
  return html`<dl class="difference">${fields.map(({ field, from, to }) => {
    const name = partsOf(field).at(-1);
    const before = textOf(from, name);
    return html`<div><dt>${labelOf(partsOf(field), titleOf)}</dt>
    <dd>${before && html`<del>${dotted(before)}</del> <span aria-hidden="true">→</span> `}
      <ins>${dotted(textOf(to, name) || '–')}</ins></dd></div>`;
  })}</dl>`;
}
