// What a change changed: each field with its old and its new value.
import { html } from '../vendor/preact-htm.js';
import { has, number, t } from '../shared/texts.js';
import { moment } from './moment.js';

// labels are the texts of fields, where they have another name. A field without a text keeps its name.
const labels = {
  enabled: 'enabled',
  images: 'image_url',
  paused_at: 'field_paused_at',
  pay_within_s: 'field_pay_within_s',
  stock: 'units',
  total: 'units_total',
  types: 'event_types',
  updated_at: 'field_updated_at',
  url: 'address',
  waiting_room: 'room',
};

const idNames = ['sku_id', 'point_id']; // by which items of arrays are told apart
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

// labelOf is a path of names, such as skus/bell/flash_price, in words.
function labelOf(path) {
  const words = path.map((name) => {
    const key = labels[name] ?? name;
    return has(key) && !t(key).includes('{') ? t(key) : name;
  });
  return words.join(' · ');
}

const isObject = (value) => typeof value === 'object' && value !== null;

// flat adds the values inside a value by their paths, which JSON writes.
function flat(value, path = [], found = new Map()) {
  if (!isObject(value) || Object.keys(value).length === 0) {
    if (value !== undefined && path.at(-1) !== 'version') found.set(JSON.stringify(path), value);
    return found;
  }
  if (Array.isArray(value) && !value.some(isObject)) return found.set(JSON.stringify(path), value.join(', '));
  for (const [name, inner] of Object.entries(value)) {
    const id = Array.isArray(value) ? idNames.map((key) => inner?.[key]).find((known) => known !== undefined) : name;
    flat(inner, [...path, id ?? name], found);
  }
  return found;
}

function textOf(value) {
  if (value === undefined || value === null) return '';
  if (value === true || value === false) return t(value ? 'yes' : 'no');
  if (typeof value === 'number') return value === -1 ? t('no_limit') : number(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return time.test(value) ? moment(value) : value;
}

// partsOf takes apart a path as the server writes it, such as skus[bell].flash_price; ids may have dots.
const partsOf = (path) => [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([name, id]) => id ?? name);

// differences lists what two values, which are at a path, differ in: each [label, old, new], all of them texts.
export function differences(before, after, path = '') {
  const [old, now] = [before, after].map((value) => flat(value, partsOf(path)));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => [labelOf(JSON.parse(key)), textOf(old.get(key)), textOf(now.get(key))])
    .filter(([, from, to]) => from !== to);
}

// actionText says what an operator did, by a code such as sku.changed.
export function actionText(action) {
  const key = `action_${action.replace('.', '_')}`;
  return has(key) ? t(key) : action;
}

// Fields shows fields, each [label, old, new]. none stands for a new value that is none.
export function Fields({ fields, none = '–' }) {
  return html`<dl class="difference">${fields.map(
    ([name, before, after]) => html`<div><dt>${name}</dt>
    <dd>${before && html`<del>${before}</del> <span aria-hidden="true">→</span> `}<ins>${after || none}</ins></dd>
    </div>`,
  )}</dl>`;
}
