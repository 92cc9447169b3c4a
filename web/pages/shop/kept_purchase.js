// The purchase that is under way, kept where a reload finds it: a reload or a second click never orders twice.
import { newKey } from '../../client/onrush.js';
import { joined } from '../shared/ids.js';
import { ownName } from '../shared/settings.js';

const name = (sale, sku) => ownName(`purchase:${joined(sale, sku)}`);
const mostAge = 10 * 60_000; // ms
const patience = 1000; // ms in which another tab gives way

// keyOf returns the key of a purchase: the one under way, or a new one where there is none, or of other goods.
export function keyOf(sale, sku, quantity, lines) {
  const kept = pending(sale, sku);
  if (kept?.quantity === quantity && goodsOf(kept.sku, kept.lines) === goodsOf(sku, lines)) return kept.key;
  const key = newKey();
  sessionStorage.setItem(name(sale, sku), JSON.stringify({ key, at: Date.now(), sku, quantity, lines }));
  return key;
}

// goodsOf names the skus of a purchase, whichever of them was chosen first.
const goodsOf = (sku, lines) =>
  lines
    ? lines
        .map((line) => line.sku)
        .sort()
        .join()
    : sku;

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

/**
 * alone runs something unless another tab of this browser buys the same; then it returns undefined. With instead it
 * asks that tab to give way first. A tab that is asked calls giveWay, which ends its run and returns true, or false
 * where its order may have been placed.
 *
 * @param {string} sale
 * @param {string} sku
 * @param {() => Promise<any>} run
 * @param {{ instead: boolean, giveWay: () => boolean, lines?: { sku: string }[] }} how
 */
export async function alone(sale, sku, run, { instead, giveWay, lines }) {
  if (!navigator.locks) return run();
  const lockName = name(sale, goodsOf(sku, lines));
  const tabs = new BroadcastChannel(lockName);
  let given = false;
  const held = (lock) => {
    if (!lock) return undefined;
    tabs.onmessage = () => {
      given ||= giveWay();
    };
    return run();
  };
  const hold = (how) => navigator.locks.request(lockName, how, held);
  try {
    const done = await hold({ ifAvailable: true });
    if (done || !instead || !(await gaveWay(tabs))) return done;
    return await hold({ signal: AbortSignal.timeout(patience) });
  } finally {
    if (given) tabs.postMessage('given');
    tabs.close();
  }
}

// gaveWay asks the other tabs to give way, and reports whether one did.
function gaveWay(tabs) {
  return new Promise((resolve) => {
    tabs.onmessage = () => resolve(true);
    tabs.postMessage('asked');
    setTimeout(() => resolve(false), patience);
  });
}
