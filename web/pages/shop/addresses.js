// The buyer's addresses.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { addressLine, Dialog, Loading, Problem } from '../shared/parts.js';
import { AddressForm } from './address_form.js';
import { Empty } from './empty.js';
import { forget, typing } from './kept_address.js';

export function Addresses() {
  const { value, error, reload } = useLoad(() => call('GET', '/addresses?page_size=100'));
  const [editing, setEditing] = useState(typing); // the id of an address, or new
  const [removing, setRemoving] = useState();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const edit = (id) => {
    forget();
    setEditing(id);
  };
  const done = () => {
    setEditing(null);
    setRemoving(undefined);
    reload();
  };
  const close = () => setEditing(null);
  return html`<section class="column"><h1>${t('menu_addresses')}</h1><${Problem} error=${error} retry=${reload} />
    ${value.items.length === 0 && editing !== 'new' && html`<${Empty} icon="addresses" text=${t('addresses_none')} />`}
    <ul class="list">${value.items.map(
      (a) =>
        html`<li class="card" key=${a.address_id}>${
          editing === a.address_id
            ? html`<${AddressForm} address=${a} saved=${done} cancel=${close} />`
            : html`<${Row} address=${a} edit=${() => edit(a.address_id)} remove=${() => setRemoving(a)} />`
        }</li>`,
    )}</ul>
    ${
      editing === 'new'
        ? html`<div class="card new-address"><h2>${t('address_new')}</h2>
            <${AddressForm} key="new" first=${value.items.length === 0} saved=${done} cancel=${close} /></div>`
        : html`<button class="go" id="new-address" onClick=${() => edit('new')}>${t('address_new')}</button>`
    }
    ${removing && html`<${Remove} address=${removing} close=${() => setRemoving(undefined)} done=${done} />`}
  </section>`;
}

function Row({ address: a, edit, remove }) {
  return html`<p class="row"><span><b>${a.receiver}</b> ${a.phone}</span>
      ${a.is_default && html`<span class="badge">${t('address_default')}</span>`}</p>
    <p>${a.detail}, ${a.region}</p>
    <div class="row"><button class="quiet" onClick=${edit}>${t('address_edit')}</button>
      <button class="quiet remove" onClick=${remove}>${t('address_delete')}</button></div>`;
}

// Remove asks before it deletes an address.
function Remove({ address, close, done }) {
  const [error, setError] = useState();
  const remove = () => call('DELETE', `/addresses/${address.address_id}`).then(done, setError);
  return html`<${Dialog} title=${t('address_delete_sure')} close=${close}>
    <p>${addressLine(address)}</p><p class="muted">${t('address_delete_help')}</p><${Problem} error=${error} />
    <div class="row"><button type="button" class="danger" onClick=${remove}>${t('address_delete')}</button>
      <button type="button" class="quiet" onClick=${close}>${t('cancel')}</button></div><//>`;
}
