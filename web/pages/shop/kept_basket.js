// What the buyer has put into the basket, kept in this browser.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { unitsOf } from '../shared/sale_figures.js';

const kept = 'basket';
const key = 'basket-key'; // in sessionStorage: the Idempotency-Key of the order that may have been placed
const most = 9999; // units of a sku
const followers = new Set();

export function readBasket() {
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

// keyOf returns the key under which the basket is ordered: a second click or a reload doesn't order twice.
export function keyOf(newKey) {
  sessionStorage.setItem(key, sessionStorage.getItem(key) ?? newKey());
  return sessionStorage.getItem(key);
}

export const forgetKey = () => sessionStorage.removeItem(key);

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
