// How goods reach the buyer: an address or a pickup point.
import { html, useEffect, useState } from '../shared/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, signedIn } from '../shared/server.js';
import { Problem, Select } from '../shared/parts.js';
import { AddressForm } from './addresses.js';

// useDelivery returns the buyer's choice for goods of a kind, as buy and the interface take it.
export function useDelivery(kind) {
  const physical = kind === 'physical';
  const [by, setBy] = useState('express');
  const [addresses, setAddresses] = useState();
  const [points, setPoints] = useState();
  const [address, setAddress] = useState('');
  const [point, setPoint] = useState('');
  const [error, setError] = useState();
  const read = () => call('GET', '/addresses?page_size=100').then(({ items }) => {
    setAddresses(items);
    setAddress((old) => old || (items.find((a) => a.is_default) ?? items[0])?.address_id || '');
  }, setError);
  useEffect(() => {
    if (!physical || !signedIn()) return;
    read();
    call('GET', '/points?pickup=true&page_size=100').then(({ items }) => {
      setPoints(items);
      setPoint((old) => old || items[0]?.point_id || '');
    }, setError);
  }, [physical]);
  const choice = !physical ? {} :
    by === 'express' ? { delivery: by, addressId: address } : { delivery: by, pickupPointId: point };
  const ready = !physical || Boolean(by === 'express' ? address : point);
  return { physical, by, setBy, addresses, address, setAddress, points, point, setPoint, read, error, choice, ready };
}

export function Delivery({ delivery: d }) {
  const [adding, setAdding] = useState(false);
  if (!d.physical) return null;
  const option = (name) => html`<label class="option"><input type="radio" name="delivery" checked=${d.by === name}
    onChange=${() => d.setBy(name)} /> ${t(name)}</label>`;
  return html`<fieldset class="delivery"><legend>${t('delivery')}</legend>
    <div class="row">${option('express')}${option('pickup')}</div>
    <${Problem} error=${d.error} />
    ${d.by === 'express' && html`
      ${d.addresses?.length > 0 && html`<label>${t('address')}<${Select} id="address" value=${d.address}
        options=${d.addresses.map((a) => [a.address_id, `${a.receiver}, ${a.detail}, ${a.region}`])}
        onChange=${(e) => d.setAddress(e.target.value)} /></label>`}
      ${d.addresses?.length === 0 && html`<p class="muted">${t('address_none')}</p>`}
      ${(adding || d.addresses?.length === 0) ? html`<${AddressForm} saved=${(a) => {
        setAdding(false); d.setAddress(a.address_id); d.read();
      }} />` : html`<button type="button" class="quiet" onClick=${() => setAdding(true)}>${t('address_new')}</button>`}`}
    ${d.by === 'pickup' && (d.points?.length ? html`<label>${t('pickup_point')}<${Select} id="point" value=${d.point}
      options=${d.points.map((p) => [p.point_id, p.name])} onChange=${(e) => d.setPoint(e.target.value)} /></label>` :
      html`<p class="muted">${t('pickup_none')}</p>`)}
  </fieldset>`;
}
