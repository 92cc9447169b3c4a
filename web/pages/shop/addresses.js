// The buyer's addresses.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { Region } from './region.js';

export function Addresses() {
  const { value, error, reload } = useLoad(() => call('GET', '/addresses?page_size=100'));
  const [editing, setEditing] = useState(null);
  const [failed, setFailed] = useState();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const saved = () => {
    setEditing(null);
    reload();
  };
  const remove = (a) => call('DELETE', `/addresses/${a.address_id}`).then(reload, setFailed);
  return html`<h1>${t('menu_addresses')}</h1><${Problem} error=${failed} />
    ${value.items.length === 0 && html`<p class="empty">${t('addresses_none')}</p>`}
    <ul class="list">${value.items.map(
      (a) => html`<li class="card" key=${a.address_id}>
      ${
        editing === a.address_id
          ? html`<${AddressForm} address=${a} saved=${saved} />`
          : html`
        <p><b>${a.receiver}</b> ${a.phone}${' '}
          ${a.is_default && html`<span class="badge running">${t('address_default')}</span>`}<br />
          ${a.detail}, ${a.region}</p>
        <div class="row"><button class="quiet" onClick=${() => setEditing(a.address_id)}>${t('address_edit')}</button>
          <button class="quiet" onClick=${() => remove(a)}>${t('address_delete')}</button></div>`
      }</li>`,
    )}</ul>
    ${
      editing === 'new'
        ? html`<div class="card"><${AddressForm} saved=${saved} /></div>`
        : html`<button class="go" onClick=${() => setEditing('new')}>${t('address_new')}</button>`
    }`;
}

/**
 * AddressForm adds or changes an address. It is no form element, since it stands in forms.
 *
 * @param {{ address?: any, saved: (made: any) => void }} props
 */
export function AddressForm({ address = {}, saved }) {
  const [values, setValues] = useState(address);
  const [error, setError] = useState();
  const set = (name) => (e) => setValues({ ...values, [name]: e.target.value });
  const field = (name, more = {}) => html`<label>${t(name)}
    <input name=${name} value=${values[name] ?? ''} maxlength="300" onInput=${set(name)} ...${more} /></label>`;
  const save = () => {
    const { receiver, phone, region, detail, is_default = false } = values;
    const body = { receiver, phone, region, detail, is_default };
    const saving = address.address_id
      ? call('PUT', `/addresses/${address.address_id}`, { body: { ...body, address_id: address.address_id } })
      : call('POST', '/addresses', { body });
    saving.then(saved, setError);
  };
  return html`<div class="form">${field('receiver', { autocomplete: 'name' })}${field('phone', { autocomplete: 'tel' })}
    <${Region} value=${values.region} set=${(region) => setValues((old) => ({ ...old, region }))} />
    ${field('detail', { autocomplete: 'street-address' })}
    <label class="option"><input type="checkbox" checked=${values.is_default}
      onChange=${(e) => setValues({ ...values, is_default: e.target.checked })} /> ${t('address_make_default')}</label>
    <${Problem} error=${error} />
    <button type="button" class="go save-address" onClick=${save}>${t('save')}</button></div>`;
}
