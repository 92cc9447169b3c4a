// The form of an address.
import { newKey } from '../../client/onrush.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { forget, keep, typed } from './kept_address.js';
import { Region } from './region.js';

// most are the characters that each field may have; all of them are required.
const most = { receiver: 100, phone: 40, region: 64, detail: 300 };

const fewestDigits = 6; // of a phone number: some places have as few

// missingIn says what is missing in an address, or can't be right, by field.
function missingIn(body) {
  const missing = Object.keys(most).filter((name) => !body[name]);
  const wrong = Object.fromEntries(missing.map((name) => [name, t(`${name}_missing`)]));
  const digits = body.phone.match(/\p{Nd}/gu) ?? [];
  return body.phone && digits.length < fewestDigits ? { ...wrong, phone: t('phone_wrong') } : wrong;
}

// wrongOf says in the page's words what the server finds wrong, by field.
function wrongOf(error) {
  const found = (error.problem?.errors ?? []).filter(({ field }) => field in most);
  return Object.fromEntries(found.map(({ field, detail }) => [field, sentence(field, detail)]));
}

function sentence(field, detail) {
  if (detail === 'is required') return t(`${field}_missing`);
  return detail.includes('at most') ? t('wrong_long', { most: most[field] }) : t('wrong_characters');
}

// problemOf returns the error that belongs to no field.
function problemOf(error, isNew) {
  if (Object.keys(wrongOf(error)).length > 0) return undefined;
  return isNew && error.code === 'conflict' ? { code: '', message: t('addresses_most') } : error;
}

/**
 * useAddress returns the values of a form, and set and save, which calls saved with the address.
 *
 * @param {any} address
 * @param {(made: any) => void} saved
 */
function useAddress(address, saved) {
  const id = address.address_id;
  const [values, setValues] = useState(typed(id ?? 'new') ?? address);
  const [state, setState] = useState({ wrong: {} });
  const sent = useRef({ text: '', key: '' });
  const set = (name, value) => {
    const next = { ...values, [name]: value };
    keep(id ?? 'new', next);
    setValues(next);
    setState(({ wrong }) => ({ wrong: { ...wrong, [name]: undefined } }));
  };
  const save = async () => {
    const body = { is_default: values.is_default ?? false };
    for (const name of Object.keys(most)) body[name] = (values[name] ?? '').trim();
    const missing = missingIn(body);
    if (Object.keys(missing).length > 0) return setState({ wrong: missing, told: {} });
    setState({ wrong: {}, busy: true });
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, key: newKey() }; // the same again makes no second address
    const { key } = sent.current;
    try {
      const made = await (id ? call('PUT', `/addresses/${id}`, { body }) : call('POST', '/addresses', { body, key }));
      forget();
      saved(made);
    } catch (error) {
      setState({ wrong: wrongOf(error), error: problemOf(error, !id), told: {} });
    }
  };
  return { ...state, values, set, save: () => state.busy || save() };
}

/**
 * AddressForm adds or changes an address. It is no form element, since it stands in forms.
 *
 * @param {{ address?: any, first?: boolean, saved: (made: any) => void, cancel?: () => void, label?: string,
 *   next?: string }} props first says that the buyer has no other address, label is that of the button that saves, and
 *   next says what comes after it: the button then stays in view
 */
export function AddressForm({ address = {}, first = false, saved, cancel, label = t('address_save'), next = '' }) {
  const { values, set, save, wrong, error, busy, told } = useAddress(address, saved);
  const form = useRef();
  useEffect(() => {
    if (told) form.current.querySelector('[aria-invalid=true]')?.focus();
  }, [told]);
  const field = (name, more = {}) => html`<label>${t(name)}
    <input name=${name} value=${values[name] ?? ''} maxlength=${most[name]} onInput=${(e) => set(name, e.target.value)}
      aria-invalid=${Boolean(wrong[name])} aria-describedby=${wrong[name] && `wrong-${name}`} ...${more} />
    ${wrong[name] && html`<span class="bad" id="wrong-${name}">${wrong[name]}</span>`}</label>`;
  const enter = (e) => {
    if (e.key !== 'Enter' || e.target.type !== 'text') return;
    e.preventDefault(); // or it would press the button of the form around it
    save();
  };
  const stop = () => {
    forget();
    cancel();
  };
  return html`<div class="form" ref=${form} onKeyDown=${enter}>
    ${field('receiver', { type: 'text', autocomplete: 'name' })}
    ${field('phone', { type: 'text', inputmode: 'tel', autocomplete: 'tel' })}
    <${Region} value=${values.region} set=${(region) => set('region', region)} error=${wrong.region} />
    ${field('detail', { type: 'text', autocomplete: 'street-address' })}
    ${
      !first &&
      html`<label class="option"><input type="checkbox" checked=${values.is_default}
        onChange=${(e) => set('is_default', e.target.checked)} /> ${t('address_make_default')}</label>`
    }
    <${Problem} error=${error} />
    <div class=${next && 'buy-bar'}><div class=${next ? 'choices' : 'row'}>
      <button type="button" class="go save-address ${next && 'large'}" aria-disabled=${busy ? 'true' : undefined}
        aria-describedby=${next ? 'save-next' : undefined} onClick=${save}>${label}</button>
      ${cancel && html`<button type="button" class="quiet" onClick=${stop}>${t('cancel')}</button>`}</div>
      ${next && html`<p class="muted why" id="save-next">${next}</p>`}</div></div>`;
}
