// Parts of all views of the console.
import { newKey } from '../../client/onrush.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { minorDigits } from '../shared/currency.js';
import { has, inUnit, language, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Icon } from '../shared/icons.js';
import { Dialog, Loading, Problem, Select, valuesOf } from '../shared/parts.js';
import { FileInput } from './file_input.js';
import { may } from './me.js';
import { Stale, isStale } from './stale.js';
import { say } from './toast.js';
import { wrongFields } from './wrong.js';

// Badge shows a state, in words where there are any; title explains them.
/** @param {any} badge */
export function Badge({ state, title }) {
  return html`<span class="badge ${state}" title=${title}>${words('state', state)}</span>`;
}

// goodOrBad is the class of a figure.
export const goodOrBad = (good) => (good ? 'good' : 'bad');

// words returns the text of a code, or the code where there is none.
export const words = (kind, code) => (has(`${kind}_${code}`) ? t(`${kind}_${code}`) : code);

// sentences puts sentences one after another. In Chinese no space parts them.
export const sentences = (...all) => all.join(language === 'zh' ? '' : ' ');

// save replaces old, or makes something new whose id an operator chose: PUT alone would replace a thing with the same
// id. version is the version of old, unless the reader keeps a change on top of a newer version.
export async function save(old, path, options, version = old?.version) {
  try {
    return await call('PUT', path, { ...options, version, create: !old });
  } catch (error) {
    throw old || !isStale(error) ? error : new Error(t('id_taken'));
  }
}

// useArrival returns a ref for what an action brings: it takes the focus and comes into view each time that it shows
// another thing. It has the tabindex -1.
export function useArrival(shown) {
  const ref = useRef();
  useEffect(() => {
    if (!shown) return;
    ref.current.focus({ preventScroll: true });
    ref.current.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return ref;
}

// age returns a time span in ms in its largest unit.
export function age(ms) {
  /** @type {[string, number][]} */
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ];
  const [unit, size] = units.find(([, length]) => ms >= length) ?? units.at(-1);
  return inUnit(Math.max(0, ms) / size, unit, 'short');
}

// Action is a button that does something at the server. With a title it asks first, with fields for what it needs: each
// {name, label, type, required, initial}. run gets the values, and an Idempotency-Key that stays the same until it has
// succeeded. onOpen is called when it asks. route is what it calls, such as "POST /keys": where the reader's scope
// doesn't allow it there is no button. button is what that of its form says, if not the label. fields and button may be
// functions, of what is typed. then is called with what run returned. preview says what the values will do. done says
// what was done, as a text or made of the result and the values; null says nothing. undo makes of them what takes it
// back, or nothing. opens lets it ask as soon as it is drawn, which the search does. While run runs the button keeps
// the focus, and does nothing.
/** @param {any} action */
export function Action({ label, title, help, fields = [], kind = 'quiet', run, then = (_) => {}, ...more }) {
  const { id, preview, route, button = label, onOpen = () => {}, undo, opens } = more;
  const { done = t('done_action', { what: label }) } = more;
  const [typed, type] = useState({});
  const made = (part) => (typeof part === 'function' ? part(typed) : part);
  const [state, set] = useState({});
  const [open, setOpen] = useState(false);
  const key = useRef(newKey());
  const busy = useRef(false);
  const values = useRef({});
  const form = useRef();
  useEffect(() => {
    if (!state.error) return;
    const wrong = form.current?.querySelector('[aria-invalid=true]');
    if (wrong) wrong.focus();
    else form.current?.querySelector('.problem')?.scrollIntoView({ block: 'nearest' });
  }, [state.error]);
  const act = async (chosen, version) => {
    if (busy.current) return;
    values.current = chosen;
    busy.current = true;
    set({ busy: true });
    try {
      const result = await run(chosen, key.current, version);
      key.current = newKey();
      set({});
      setOpen(false);
      const text = typeof done === 'function' ? done(result, chosen) : done;
      if (text) say(text, { undo: undo?.(result, chosen), then: () => then({}) });
      then(result);
    } catch (error) {
      set({ error });
    } finally {
      busy.current = false;
    }
  };
  const submit = (e) => {
    e.preventDefault();
    act(valuesOf(e.target));
  };
  const press = () => {
    if (busy.current) return;
    if (title) {
      onOpen();
      set({});
      type(Object.fromEntries(made(fields).map((field) => [field.name, field.initial])));
      setOpen(true);
    } else {
      act({});
    }
  };
  useEffect(() => {
    if (!opens || !may(route)) return;
    history.replaceState(null, '', location.hash.split('?')[0]); // another visit doesn't ask again
    press();
  }, []);
  if (!may(route)) return null;
  const busyNow = state.busy ? 'true' : undefined;
  const wrong = wrongFields(state.error, made(fields));
  const close = () => setOpen(false);
  const mine = () => act(values.current, state.error.problem.version);
  const theirs = () => {
    close();
    then({});
  };
  return html`<button type="button" id=${id} class=${kind} aria-disabled=${busyNow} onClick=${press}>${label}</button>
    ${!title && html`<${Problem} error=${state.error} />`}
    ${
      open &&
      html`<${Dialog} title=${title} close=${close}>
      ${help && html`<p class="muted">${help}</p>`}
      <form ref=${form} onSubmit=${submit} onInput=${(e) => type(valuesOf(e.currentTarget))}>
        ${made(fields).map(
          (field) => html`<${Field} key=${field.name} ...${field} error=${wrong.texts[field.name]} />`,
        )}
        ${preview && html`<div class="sum" role="status">${preview(typed)}</div>`}
        <${Stale} error=${wrong.rest} mine=${mine} theirs=${theirs} />
        <div class="row">
          <button class="go ${kind === 'danger' ? kind : ''}" aria-disabled=${busyNow}>${made(button)}</button>
          <button type="button" class="quiet" onClick=${close}>${t('cancel')}</button></div></form><//>`
    }`;
}

// To is a link to a view that a route is for, or only its text where the reader may not call the route.
export const To = ({ route, href, children }) => (may(route) ? html`<a href=${href}>${children}</a>` : children);

let fields = 0; // that were drawn: their texts have ids

// Field is a labelled input of a form. options make it a select; type textarea a textarea; type checkbox a checkbox;
// type group several fields under one heading; type choice a choice of options, none of which is chosen at first.
// locked says why it can't be changed, error why it is invalid. steps has buttons for one more and one less. presets
// are buttons that change the value, each [text, value => other value]. below is a component under the input, which
// gets the value, and wrong, by which it says why what it was given is refused.
// Whoever draws it keeps its value, or gives it an initial one: each time it is drawn, a value replaces what was typed.
/** @param {any} field */
export function Field({ label, help, locked, error, of: _, presets = [], below, ...input }) {
  const id = useRef();
  const [refused, refuse] = useState();
  id.current ??= `field-${++fields}`;
  if (input.type === 'group') {
    return html`<fieldset class="field-group"><legend>${label}</legend>
      ${help && html`<p class="muted">${help}</p>`}
      ${input.fields.map((field) => html`<${Field} ...${field} />`)}</fieldset>`;
  }
  if (input.type === 'choice') {
    return html`<fieldset class="choice"><legend>${label}</legend>${input.options.map(
      ([value, text]) => html`<label class="option">
        <input type="radio" name=${input.name} value=${value} required />${text}</label>`,
    )}</fieldset>`;
  }
  if (input.type === 'checkbox') return html`<label class="option">${inputOf(input)}${label}</label>`;
  if (locked) input.disabled = true;
  const wrong = error ?? refused;
  if (wrong) input['aria-invalid'] = 'true';
  const texts = Object.entries({ wrong, locked, help: !locked && help }).filter(([, text]) => text);
  input['aria-describedby'] = texts.map(([kind]) => `${id.current}-${kind}`).join(' ') || undefined;
  return html`<div class="field"><label for=${id.current}>${label}</label>${inputOf({ ...input, id: id.current })}
    ${
      presets.length > 0 &&
      html`<div class="row presets">${presets.map(
        ([text, to]) => html`<button type="button" class="quiet" onClick=${(e) => typeInto(e, to)}>${text}</button>`,
      )}</div>`
    }
    ${below && html`<${below} value=${input.value} wrong=${refuse} />`}
    ${texts.map(
      ([kind, text]) => html`<p id="${id.current}-${kind}" class=${kind === 'wrong' ? 'bad' : `muted ${kind}`}
        role=${refused && kind === 'wrong' ? 'alert' : undefined}>
        ${kind === 'locked' && html`<${Icon} name="lock" /> `}${text}</p>`,
    )}</div>`;
}

// typeInto changes the value of the field of a button as a reader who types would.
function typeInto(e, to) {
  const input = e.currentTarget.closest('.field').querySelector('input');
  input.value = to(input.value);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** @param {any} field */
function inputOf({ name, type = 'text', value, initial, options, steps, ...rest }) {
  if (type === 'checkbox') {
    return html`<input type="checkbox" name=${name} value="true" defaultChecked=${initial} ...${rest} />`;
  }
  if (type === 'file') return html`<${FileInput} name=${name} ...${rest} />`;
  if (options) {
    return html`<${Select} name=${name} value=${value} initial=${initial} options=${options} ...${rest} />`;
  }
  if (type === 'textarea') {
    return html`<textarea name=${name} rows="3" value=${value} defaultValue=${initial} ...${rest}></textarea>`;
  }
  const input = html`<input name=${name} type=${type} value=${value} defaultValue=${initial} step="any" ...${rest} />`;
  if (!steps) return input;
  const { min = 0, max = Infinity } = rest;
  const by = (n) => (e) => typeInto(e, (typed) => Math.min(max, Math.max(min, (Number(typed) || 0) + n)));
  return html`<span class="steps"><button type="button" aria-label=${t('less')} onClick=${by(-1)}>−</button>${input}
    <button type="button" aria-label=${t('more')} onClick=${by(1)}>+</button></span>`;
}

// Table shows rows in columns: each [heading, row => cell, classes]. A row is one line. On phones it is about two: the
// first has the cell of the class lead and the cells of the class end, the second has the others; cells of the class
// named have the heading of their column there. A lead of the class id is a number, which doesn't break. Cells of the
// class wide may break into lines, cells of cut end with "…", cells of tools have buttons. The roles stay where the
// rows are no rows of a table on the screen.
export function Table({ name, columns, rows, empty, keyOf }) {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="table" tabindex="0" role="region" aria-label=${name}><table role="table">
    <thead role="rowgroup"><tr role="row">${columns.map(
      ([heading, , kind]) => html`
      <th scope="col" role="columnheader" class=${kind}>
        ${heading || html`<span class="hidden">${t('actions')}</span>`}</th>`,
    )}</tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row) => html`
      <tr role="row" key=${keyOf(row)}>${columns.map((column) => html`<${Cell} column=${column} row=${row} />`)}</tr>`,
    )}</tbody></table></div>`;
}

function Cell({ column: [heading, cell, kind = ''], row }) {
  const value = cell(row);
  const whole = kind.includes('cut') && typeof value === 'string' ? value : undefined;
  return html`<td role="cell" class=${kind} title=${whole} data-name=${kind.includes('named') ? heading : undefined}
    >${value}</td>`;
}

// usePages reads the pages of a list, one by one, by its cursor. What was read stays until other filters have an
// answer, but not beside their error.
export function usePages(path, filters = {}) {
  const of = `${path}?${JSON.stringify(filters)}`;
  const [list, set] = useState({ of, items: [] });
  const turn = useRef(0);
  const read = async (cursor) => {
    const mine = ++turn.current;
    const query = new URLSearchParams({ page_size: '50', ...filters, ...(cursor && { after: cursor }) });
    try {
      const page = await call('GET', `${path}?${query}`);
      if (mine === turn.current) {
        set((old) => ({ ...page, of, items: cursor ? [...old.items, ...page.items] : page.items, read: true }));
      }
    } catch (error) {
      if (mine === turn.current) set((old) => ({ ...(old.of === of ? old : { of, items: [] }), error, read: true }));
    }
  };
  useEffect(() => {
    read();
  }, [of]);
  const more = list.of === of && list.next_cursor;
  return { ...list, reload: () => read(), more: more && (() => read(more)) };
}

// useOne is a list with only the item at a path, as List shows it.
export function useOne(path) {
  const { value, error, reload } = useLoad(() => call('GET', path), [path]);
  return { items: value ? [value] : [], read: Boolean(value || error), error, reload };
}

const mostPages = 20; // of readAll

// readAll reads a whole list, up to its first 2,000 items.
export async function readAll(path, filters = {}) {
  const items = [];
  let cursor;
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ page_size: '100', ...filters, ...(cursor && { after: cursor }) });
    const read = await call('GET', `${path}?${query}`);
    items.push(...read.items);
    cursor = read.next_cursor;
    if (!cursor) break;
  }
  return items;
}

// List shows what usePages read, with a button for more.
export function List({ list, ...table }) {
  if (!list.read) return html`<${Loading} />`;
  return html`<${Problem} error=${list.error} retry=${list.reload} />
    ${list.partial && html`<p class="notice">${t('partial')}</p>`}
    ${!(list.error && list.items.length === 0) && html`<${Table} rows=${list.items} ...${table} />`}
    ${list.more && html`<button class="quiet" onClick=${list.more}>${t('more_items')}</button>`}`;
}

// useFilters are the filters of a list, which are in the address of the view: view is its first part, such as
// money/orders, and query what follows the question mark.
export function useFilters(view, query, none) {
  const [filters, set] = useState(() => ({ ...none, ...Object.fromEntries(new URLSearchParams(query)) }));
  const change = (next) => {
    set(next);
    const chosen = new URLSearchParams(Object.entries(next).filter(([, value]) => value)).toString();
    history.replaceState(null, '', `#/${view}${chosen && `?${chosen}`}`);
  };
  return [filters, change];
}

const day = (text, days) => {
  const at = new Date(`${text}T00:00:00`); // in the reader's zone
  at.setDate(at.getDate() + days);
  return at.toISOString();
};

// queryOf turns filters into parameters of the server: from and to are days, and to is included.
export function queryOf({ from, to, ...rest }) {
  const chosen = Object.entries(rest).filter(([, value]) => value);
  return { ...Object.fromEntries(chosen), ...(from && { from: day(from, 0) }), ...(to && { to: day(to, 1) }) };
}

// emptyText says of a list that is empty that nothing has what was chosen, or that there is nothing yet.
export const emptyText = (kind, query) => t(`${kind}_${Object.keys(query).length > 0 ? 'none' : 'empty'}`);

const several = 2; // filters that phones have room for

// Filters are a form of fields whose values filter a list at once. The fields of more are folded away unless one is
// set; on phones, so are several fields.
export function Filters({ fields, more = [], values, change }) {
  const input = (field) => html`<${Field} ...${field} initial=${values[field.name] ?? ''}
    onChange=${(e) => change({ ...values, [field.name]: e.target.value.trim() })} />`;
  const countOf = (some) => some.filter(({ name }) => values[name]).length;
  const set = countOf(more);
  const count = countOf(fields) + set;
  const [unfolded, unfold] = useState(count > 0);
  const folds = fields.length > several;
  return html`<form class="filters row ${folds && !unfolded ? 'folded' : ''}" onSubmit=${(e) => e.preventDefault()}>
    ${
      folds &&
      html`<button type="button" class="quiet fold-filters" aria-expanded=${unfolded}
      onClick=${() => unfold(!unfolded)}>${count > 0 ? t('filters_set', { count }) : t('filters')}</button>`
    }${fields.map(input)}
    ${
      more.length > 0 &&
      html`<details class="more" open=${set > 0}><summary>${t('more_filters')}</summary>
      <div class="row">${more.map(input)}</div></details>`
    }</form>`;
}

// Tabs are links to kindred views.
export function Tabs({ name, tabs, current }) {
  const nav = useRef();
  useEffect(() => {
    const at = nav.current.querySelector('[aria-current]');
    if (at) nav.current.scrollLeft = at.offsetLeft - nav.current.offsetLeft - 16; // phones have no room for all
  }, [current]);
  return html`<nav class="row tabs" ref=${nav} aria-label=${name}>${tabs.map(
    ([href, text, id]) => html`
    <a href=${href} aria-current=${id === current ? 'page' : undefined}>${text}</a>`,
  )}</nav>`;
}

// toMinor returns an amount such as 49.90 in minor units, or undefined where there is none. It throws if there is a
// part of a minor unit: an amount is not rounded.
export function toMinor(text, currency) {
  if (text === '' || text === undefined) return undefined;
  const minor = Math.round(Number(text) * 10 ** minorDigits(currency));
  if (minor / 10 ** minorDigits(currency) !== Number(text)) {
    throw new Error(t('amount_too_fine', { amount: text, currency }));
  }
  return minor;
}

// toMajor returns an amount in minor units as a field shows it.
export function toMajor(amount, currency) {
  return amount === undefined ? '' : (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency));
}
