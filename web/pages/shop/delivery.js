// How goods reach the buyer: an address or a pickup point.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, signedIn } from '../shared/server.js';
import { addressLine, Loading, Problem, Select } from '../shared/parts.js';
import { AddressForm } from './address_form.js';
import { forget, typing } from './kept_address.js';
import { readAll } from './lists.js';
import { senderOf, Where } from './points.js';

// useLists returns the buyer's addresses and the stock points as far as they are known, and read, which reads both.
function useLists(needed) {
  const [lists, set] = useState({});
  const turn = useRef(0);
  const read = () => {
    const mine = ++turn.current;
    const put = (more) => mine === turn.current && set((old) => ({ ...old, ...more }));
    put({ error: undefined });
    call('GET', '/addresses?page_size=100').then(
      ({ items }) => put({ addresses: items }),
      (error) => put({ error }),
    );
    readAll('/points').then(
      ({ items, whole }) => put({ points: items, whole }),
      (error) => put({ error }),
    );
  };
  useEffect(() => {
    if (needed) read();
    else turn.current++;
  }, [needed]);
  return { ...lists, read };
}

/**
 * useDelivery returns the buyer's choice for goods of a kind, as buy and the interface take it. having are the ids of
 * the stock points that have the goods, if that is known, and empty those of them that have no unit left. from is the
 * point that sends the goods: null if none does, and undefined while that isn't known. gone says that the choice leads
 * to a point that has no unit left.
 *
 * @param {string} kind
 * @param {string[]} [having]
 * @param {string[]} [empty]
 */
export function useDelivery(kind, having, empty = []) {
  const physical = kind === 'physical';
  const signed = signedIn();
  const [by, setBy] = useState('express');
  const [chosen, setAddress] = useState('');
  const [picked, setPoint] = useState('');
  const [adding, setAdding] = useState(typing() === 'new'); // an address
  const { addresses, points, whole, error, read } = useLists(physical && signed);
  const to = addresses?.find((a) => a.address_id === chosen) ?? addresses?.find((a) => a.is_default) ?? addresses?.[0];
  const all = points?.filter((p) => p.pickup && (having?.includes(p.point_id) ?? true));
  const pickups = all?.filter((p) => !empty.includes(p.point_id));
  const point = pickups?.find((p) => p.point_id === picked) ?? pickups?.[0];
  const from = to && whole && having ? senderOf(points, having, to.region) : undefined;
  const gone = by === 'express' ? Boolean(from && empty.includes(from.point_id)) : all?.length > 0 && !pickups.length;
  const address = to?.address_id ?? '';
  const choice = by === 'express' ? { addressId: address } : { pickupPointId: point?.point_id ?? '' };
  return {
    physical,
    signed,
    by,
    setBy,
    addresses,
    address,
    setAddress,
    region: to?.region,
    adding,
    setAdding,
    pickups,
    point,
    setPoint,
    from,
    gone,
    read,
    error,
    known: Boolean(by === 'express' ? addresses : pickups),
    ready: !physical || Boolean(by === 'express' ? to && from !== null && !gone : point),
    choice: physical ? { delivery: by, ...choice } : {},
  };
}

// Delivery lets the buyer choose. saves is the label of the button that saves a new address, next says what comes after
// it, and saved is called with the address.
export function Delivery({ delivery: d, saves, next, saved }) {
  if (!d.physical) return null;
  const option = (name) => html`<label class="option">
    <input type="radio" name="delivery" checked=${d.by === name} onChange=${() => d.setBy(name)} /> ${t(name)}</label>`;
  return html`<fieldset class="delivery"><legend>${t('delivery')}</legend>
    <div class="row">${option('express')}${option('pickup')}</div>
    <${Problem} error=${d.error} retry=${d.read} />
    ${!d.signed && html`<p class="muted">${t('delivery_sign_in')}</p>`}
    ${d.signed && !d.known && !d.error && html`<${Loading} />`}
    ${d.by === 'express' && d.known && html`<${Address} delivery=${d} saves=${saves} next=${next} saved=${saved} />`}
    ${d.by === 'pickup' && d.known && html`<${Pickup} delivery=${d} />`}
  </fieldset>`;
}

// Address chooses one of the buyer's addresses, or takes a new one.
function Address({ delivery: { addresses, address, setAddress, adding, setAdding, read }, saves, next, saved }) {
  const none = addresses.length === 0;
  const added = (made) => {
    setAdding(false);
    setAddress(made.address_id);
    read();
    saved?.(made);
  };
  const add = () => {
    forget();
    setAdding(true);
  };
  return html`
    ${
      !none &&
      html`<label>${t('address')}<${Select} id="address" value=${address}
      options=${addresses.map((a) => [a.address_id, addressLine(a)])}
      onChange=${(e) => setAddress(e.target.value)} /></label>`
    }
    ${none && html`<p class="muted">${t('address_none')}</p>`}
    ${
      adding || none
        ? html`<${AddressForm} first=${none} saved=${added} label=${saves} next=${next}
            cancel=${none ? undefined : () => setAdding(false)} />`
        : html`<button type="button" class="quiet" onClick=${add}>${t('address_new')}</button>`
    }`;
}

// Pickup chooses one of the points where buyers pick up, and says where it is and when it is open.
function Pickup({ delivery: { pickups, point, setPoint } }) {
  if (!point) return html`<p class="muted">${t('pickup_none')}</p>`;
  return html`<label>${t('pickup_point')}
    <${Select} id="point" value=${point.point_id} options=${pickups.map((p) => [p.point_id, p.name])}
      onChange=${(e) => setPoint(e.target.value)} /></label><${Where} point=${point} />`;
}
