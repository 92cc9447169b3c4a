// How goods reach the buyer: an address or a pickup point.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, signedIn } from '../shared/server.js';
import { addressLine, Problem, Select } from '../shared/parts.js';
import { AddressForm } from './address_form.js';
import { forget, typing } from './kept_address.js';

// useDelivery returns the buyer's choice for goods of a kind, as buy and the interface take it.
export function useDelivery(kind) {
  const physical = kind === 'physical';
  const [by, setBy] = useState('express');
  const [addresses, setAddresses] = useState();
  const [pickups, setPickups] = useState();
  const [address, setAddress] = useState('');
  const [point, setPoint] = useState('');
  const [senders, setSenders] = useState(); // the stock points that send goods, by id
  const [error, setError] = useState();
  const read = () =>
    call('GET', '/addresses?page_size=100').then(({ items }) => {
      setAddresses(items);
      setAddress((old) => old || (items.find((a) => a.is_default) ?? items[0])?.address_id || '');
    }, setError);
  useEffect(() => {
    if (!physical || !signedIn()) return;
    read();
    call('GET', '/points?pickup=true&page_size=100').then(({ items }) => {
      setPickups(items);
      setPoint((old) => old || items[0]?.point_id || '');
    }, setError);
    call('GET', '/points?page_size=100').then(
      ({ items, next_cursor: more }) => setSenders(more ? undefined : items),
      setError,
    );
  }, [physical]);
  const ready = !physical || Boolean(by === 'express' ? address : point);
  const choice = () => {
    if (!physical) return {};
    return by === 'express' ? { delivery: by, addressId: address } : { delivery: by, pickupPointId: point };
  };
  return {
    physical,
    by,
    setBy,
    addresses,
    address,
    setAddress,
    to: addresses?.find((a) => a.address_id === address),
    pickups,
    points: senders,
    point,
    setPoint,
    read,
    error,
    ready,
    choice: choice(),
  };
}

export function Delivery({ delivery: d }) {
  const [adding, setAdding] = useState(typing() === 'new');
  if (!d.physical) return null;
  const option = (name) => html`<label class="option">
    <input type="radio" name="delivery" checked=${d.by === name} onChange=${() => d.setBy(name)} /> ${t(name)}</label>`;
  return html`<fieldset class="delivery"><legend>${t('delivery')}</legend>
    <div class="row">${option('express')}${option('pickup')}</div>
    <${Problem} error=${d.error} />
    ${d.by === 'express' && html`<${Address} delivery=${d} adding=${adding} setAdding=${setAdding} />`}
    ${d.by === 'pickup' && html`<${Pickup} delivery=${d} />`}
  </fieldset>`;
}

// Address chooses one of the buyer's addresses, or takes a new one.
function Address({ delivery: { addresses, address, setAddress, read }, adding, setAdding }) {
  const none = addresses?.length === 0;
  const added = (made) => {
    setAdding(false);
    setAddress(made.address_id);
    read();
  };
  const add = () => {
    forget();
    setAdding(true);
  };
  return html`
    ${
      addresses?.length > 0 &&
      html`<label>${t('address')}<${Select} id="address" value=${address}
      options=${addresses.map((a) => [a.address_id, addressLine(a)])}
      onChange=${(e) => setAddress(e.target.value)} /></label>`
    }
    ${none && html`<p class="muted">${t('address_none')}</p>`}
    ${
      adding || none
        ? html`<${AddressForm} saved=${added} cancel=${none ? undefined : () => setAdding(false)} />`
        : html`<button type="button" class="quiet" onClick=${add}>${t('address_new')}</button>`
    }`;
}

// Pickup chooses one of the points where buyers pick up.
function Pickup({ delivery: { pickups, point, setPoint } }) {
  if (!pickups?.length) return html`<p class="muted">${t('pickup_none')}</p>`;
  return html`<label>${t('pickup_point')}
    <${Select} id="point" value=${point} options=${pickups.map((p) => [p.point_id, p.name])}
      onChange=${(e) => setPoint(e.target.value)} /></label>`;
}
