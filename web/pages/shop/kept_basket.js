// What the buyer has put into the basket, kept in this browser.
import { newKey } from '../../client/onrush.js';
import { useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { unitsOf } from '../shared/sale_figures.js';
import { ownName } from '../shared/settings.js';

const kept = ownName('basket');
const keptKey = ownName('basket-key'); // the Idempotency-Key of the order that may have been placed, for all tabs
const most = 9999; // units of a sku
const followers = new Set();

function readBasket() {
  try {
    return JSON.parse(localStorage.getItem(kept)) ?? [];
  } catch {
    return [];
  }
}

export function writeBasket(items) {
  localStorage.setItem(kept, JSON.stringify(items));
  forgetKey(); // other items are another order
  for (const follower of followers) follower();
}

// add puts a unit of a sku into the basket.
export function add({ sku_id, title, kind }) {
  const items = readBasket();
  const item = items.find((other) => other.sku_id === sku_id);
  if (item) item.quantity = Math.min(most, item.quantity + 1);
  else items.push({ sku_id, title, kind, quantity: 1 });
  writeBasket(items);
}

/**
 * orderOnce orders items of the basket by place, which gets the key, and takes them out of the basket. It fails where
 * another tab orders them, or has changed the basket. While nobody knows whether place succeeded, the key stays the
 * same: a second click, a reload and another tab don't order twice.
 *
 * @param {any[]} items
 * @param {(key: string) => Promise<any>} place
 */
export async function orderOnce(items, place) {
  const run = async () => {
    if (JSON.stringify(readBasket()) !== JSON.stringify(items)) return undefined;
    const key = localStorage.getItem(keptKey) ?? newKey();
    localStorage.setItem(keptKey, key);
    const placed = await place(key);
    const ordered = (id) => items.find((item) => item.sku_id === id)?.quantity ?? 0;
    const left = (item) => ({ ...item, quantity: item.quantity - ordered(item.sku_id) });
    writeBasket(
      readBasket()
        .map(left)
        .filter((item) => item.quantity > 0),
    ); // what was added meanwhile stays
    return placed;
  };
  const alone = (lock) => (lock ? run() : undefined);
  const placed = await (navigator.locks ? navigator.locks.request(kept, { ifAvailable: true }, alone) : run());
  if (!placed) throw { code: '', message: t('basket_other_tab') };
  return placed;
}

export const forgetKey = () => localStorage.removeItem(keptKey);

// useBasket returns the items, and draws a component again when they change, in other tabs too.
export function useBasket() {
  const [, follow] = useState(0);
  useEffect(() => {
    const follower = () => follow((n) => n + 1);
    followers.add(follower);
    addEventListener('storage', follower);
    return () => {
      followers.delete(follower);
      removeEventListener('storage', follower);
    };
  }, []);
  return readBasket();
}

// unitsIn returns how many units are in a basket.
export const unitsIn = (items) => unitsOf(items, 'quantity');
