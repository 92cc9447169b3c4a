// The purchase that is under way, kept where a reload finds it: a reload or a second click never orders twice.
import { newKey } from '../../client/onrush.js';
import { joined } from '../shared/ids.js';
import { ownName } from '../shared/settings.js';

const name = (sale, sku) => ownName(`purchase:${joined(sale, sku)}`);
const mostAge = 10 * 60_000; // ms

// keyOf returns the key of a purchase: the one under way, or a new one where there is none, or of another quantity.
export function keyOf(sale, sku, quantity) {
  const kept = pending(sale, sku);
  if (kept?.quantity === quantity) return kept.key;
  const key = newKey();
  sessionStorage.setItem(name(sale, sku), JSON.stringify({ key, at: Date.now(), sku, quantity }));
  return key;
}

// placing notes that the order may be placed from now on, with what it was ordered with.
export function placing(sale, sku, choice) {
  const kept = pending(sale, sku);
  sessionStorage.setItem(name(sale, sku), JSON.stringify({ ...kept, choice }));
}

// pending returns the purchase that is under way, or null.
export function pending(sale, sku) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name(sale, sku)));
    return kept && Date.now() - kept.at < mostAge ? kept : null;
  } catch {
    return null;
  }
}

export function forget(sale, sku) {
  sessionStorage.removeItem(name(sale, sku));
}

// alone runs something unless another tab of this browser buys the same; then it returns undefined.
export function alone(sale, sku, run) {
  if (!navigator.locks) return run();
  return navigator.locks.request(name(sale, sku), { ifAvailable: true }, (lock) => (lock ? run() : undefined));
}
