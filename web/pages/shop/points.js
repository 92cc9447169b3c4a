// Stock points: where goods are picked up, and from where they are sent.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { readAll } from './lists.js';
import { normal } from './region.js';

const rest = '0'; // the stock point that sends to regions that no other point serves

/**
 * senderOf returns the stock point that sends goods to a region, as the server chooses it: of the points that have the
 * goods, the first that serves the region. It is null if there is none.
 *
 * @param {any[]} points all of them, by id
 * @param {string[]} having the ids of those that have the goods
 * @param {string} region
 */
export function senderOf(points, having, region) {
  const serves = ({ point_id: id, regions }) =>
    having.includes(id) && regions.some((name) => normal(name) === normal(region));
  return (
    points.find(serves) ?? (having.includes(rest) ? { point_id: rest, freight_extra: 0, ...restOf(points) } : null)
  );
}

const restOf = (points) => points.find(({ point_id: id }) => id === rest);

// Where says where a stock point is and when it is open.
export function Where({ point: { address, hours } }) {
  if (!address && !hours) return null;
  return html`<p class="muted where">${address}${address && hours && html`<br />`}${
    hours && t('point_hours', { hours })
  }</p>`;
}

// PickupAt says where an order will be picked up.
export function PickupAt({ id }) {
  const [point, set] = useState();
  useEffect(() => {
    const find = ({ items }) => set(items.find(({ point_id: at }) => at === id));
    readAll('/points', { pickup: 'true' }).then(find, () => {}); // its id is shown
  }, [id]);
  return html`<p>${t('pickup_at', { point: point?.name ?? id })}</p>${point && html`<${Where} point=${point} />`}`;
}
