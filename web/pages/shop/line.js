// Waiting in the waiting rooms of sales, and buying when it is the buyer's turn. A wait belongs to no view: it goes on
// while the buyer looks around, and after a reload. All tabs of a browser show it, and one of them carries it on.
import { newKey } from '/assets/onrush.js';
import { useEffect, useState } from '../vendor/preact-htm.js';
import { server, signedIn, subject } from '../shared/server.js';

const prefix = 'wait:'; // of the names in localStorage, before the id of the sale
const longest = 24 * 3600_000; // ms that a wait is kept
const again = 3000; // ms after which a wait that lost the server, or its place, goes on
const passing = new Set([
  'unreachable',
  'unavailable',
  'overloaded',
  'internal',
  'request_timeout',
  'rate_limited',
  'line_required',
  'place_invalid',
]);

const carried = new Map(); // by sale: what ends the wait in this tab
const errors = new Map(); // by sale: what the wait waits out, or why it has ended
const followers = new Set();

function tell() {
  for (const follower of followers) follower();
}

/**
 * waitIn returns the buyer's wait in a sale, or null. It has what is bought (sku, quantity, choice, key), whether it is
 * bought without asking (auto), where the wait is (step, code, ahead, first, unlikely, startsAt, admittedAt), the quote
 * that waits for its answer, and at the end the number of the order.
 *
 * @param {string} sale
 */
export function waitIn(sale) {
  try {
    const wait = JSON.parse(localStorage.getItem(prefix + sale));
    return wait && Date.now() - wait.at < longest ? wait : null;
  } catch {
    return null;
  }
}

// waits returns the ids of the sales in which the buyer waits.
export function waits() {
  const sales = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  return sales.map((name) => name.slice(prefix.length)).filter((sale) => waitIn(sale) && !waitIn(sale).order);
}

// stageOf returns how far a wait is: start, line, human, units, confirm or place.
export function stageOf({ step, code, ahead }) {
  if (step === 'human_check') return 'human';
  if (step === 'confirm') return 'confirm';
  if (['submit', 'task', 'stored'].includes(step)) return 'place';
  if (step === 'wait' && code !== 'not_started') return 'units';
  return ahead === undefined ? 'start' : 'line';
}

// change changes a wait, unless the buyer has left it.
function change(sale, more) {
  const wait = waitIn(sale);
  if (wait) localStorage.setItem(prefix + sale, JSON.stringify({ ...wait, ...more }));
  tell();
}

// join begins to wait for units of a sku. carry goes on with it.
export function join(sale, { sku, quantity, choice }) {
  leave(sale);
  localStorage.setItem(prefix + sale, JSON.stringify({ at: Date.now(), key: newKey(), sku, quantity, choice }));
  tell();
}

// leave ends a wait. The server keeps the place: who joins again in time has the same one.
export function leave(sale) {
  carried.get(sale)?.abort();
  carried.delete(sale);
  errors.delete(sale);
  localStorage.removeItem(prefix + sale);
  tell();
}

// choose sets whether the order is placed without asking.
export const choose = (sale, auto) => change(sale, { auto });

// answer says whether the order is placed for the quote.
export const answer = (sale, yes) => change(sale, { answer: yes, quote: undefined });

// carry goes on with a wait, once no other tab does.
export function carry(sale) {
  if (carried.has(sale) || !waitIn(sale)) return;
  const stop = new AbortController();
  carried.set(sale, stop);
  stop.signal.addEventListener('abort', () => carried.get(sale) === stop && carried.delete(sale));
  const run = () => goOn(sale, stop.signal);
  const running = navigator.locks ? navigator.locks.request(prefix + sale, { signal: stop.signal }, run) : run();
  running
    .catch(() => {}) // the buyer has left
    .finally(() => {
      if (carried.get(sale) === stop) carried.delete(sale);
      tell();
    });
}

async function goOn(sale, signal) {
  for (;;) {
    const wait = waitIn(sale);
    if (!wait || wait.order) return; // another tab has ended it
    const who = await subject();
    if ((wait.who ?? who) !== who) return leave(sale); // another buyer's
    change(sale, { who, step: undefined, quote: undefined, answer: undefined });
    try {
      const task = await server.buy({
        activity: sale,
        sku: wait.sku,
        quantity: wait.quantity,
        key: wait.key,
        ...wait.choice,
        signal,
        patienceMs: longest,
        onStep: (step) => note(sale, step),
        confirm: (quote) => confirmed(sale, quote, signal),
      });
      return task ? arrive(sale, task.order_number) : leave(sale);
    } catch (error) {
      if (signal.aborted) return;
      errors.set(sale, error);
      if (!passing.has(error.code)) localStorage.removeItem(prefix + sale);
      tell();
      await new Promise((resolve) => setTimeout(resolve, again));
      if (signal.aborted) return;
    }
  }
}

/**
 * note keeps where a wait is.
 *
 * @param {string} sale
 * @param {any} step of buy
 */
function note(sale, { confirmation, ...step }) {
  const wait = waitIn(sale);
  errors.delete(sale);
  const first = step.ahead === undefined ? wait?.first : Math.max(step.ahead, wait?.first ?? 0);
  const placed = confirmation && { choice: { ...wait?.choice, confirmation } }; // sent again, it is the same order
  const { ahead, unlikely, startsAt, admittedAt, code } = step;
  change(sale, { step: step.step, code, ahead, unlikely, startsAt, admittedAt, first, ...placed });
}

// confirmed returns the buyer's answer to a quote, from any tab.
function confirmed(sale, quote, signal) {
  if (waitIn(sale)?.auto) return true;
  change(sale, { quote });
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      followers.delete(look);
      settle(value);
    };
    const look = () => {
      const { auto, answer: yes } = waitIn(sale) ?? {};
      if (auto || yes !== undefined) end(resolve, auto || yes);
    };
    signal.addEventListener('abort', () => end(reject, signal.reason), { once: true });
    followers.add(look);
    look();
  });
}

// arrive ends a wait with its order, and goes to it.
function arrive(sale, order) {
  change(sale, { order, quote: undefined });
  if (location.hash !== `#/wait/${sale}`) location.hash = `#/order/${order}`; // the view of the wait goes by itself
}

// carryAll goes on with all waits of the buyer when the page is loaded.
export function carryAll() {
  addEventListener('storage', ({ key, newValue }) => {
    if (!key?.startsWith(prefix)) return;
    if (newValue === null) carried.get(key.slice(prefix.length))?.abort();
    tell();
  });
  // A page that the browser keeps for the way back would keep its locks.
  addEventListener('pagehide', () => carried.forEach((stop) => stop.abort()));
  addEventListener('pageshow', ({ persisted }) => persisted && waits().forEach(carry));
  if (signedIn()) waits().forEach(carry);
}

// useWaits draws a component again when a wait changes.
export function useWaits() {
  const [, follow] = useState(0);
  useEffect(() => {
    const follower = () => follow((n) => n + 1);
    followers.add(follower);
    return () => followers.delete(follower);
  }, []);
}

// problemOf returns what the wait in a sale waits out, or why it has ended.
export const problemOf = (sale) => errors.get(sale);
