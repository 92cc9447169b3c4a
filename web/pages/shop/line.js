// Waiting in the waiting rooms of sales, and buying when it is the buyer's turn. A wait belongs to no view: it goes on
// while the buyer looks around, and after a reload. All tabs of a browser show it, and one of them carries it on.
import { newKey, OnrushError } from '../../client/onrush.js';
import { useEffect, useState } from '../vendor/preact-htm.js';
import { server, signedIn, subject } from '../shared/server.js';
import { ownName, settings } from '../shared/settings.js';

const prefix = ownName('wait:'); // of the names in the store, before the id of the sale
// Where the program around this one knows the buyer, the page doesn't know whether the next one is the same: each tab
// has waits of its own, which end with the page.
const kept = settings.host_login ? sessionStorage : localStorage;
const longest = 24 * 3600_000; // ms that a wait is kept
const again = 3000; // ms after which a wait that lost the server, or its place, goes on
const passing = new Set([
  'unauthorized',
  'unreachable',
  'unavailable',
  'overloaded',
  'internal',
  'request_timeout',
  'rate_limited',
  'line_required',
  'place_invalid',
  // Many who wait race for units that come back, and all but one lose.
  'sold_out_unpaid_pending',
  'sold_out_for_now',
  'no_permit',
  'path_expired',
  'path_invalid',
  'sale_paused',
  'sales_stopped',
]);

const behind = 1000; // ms by which other tabs come after the one in which the buyer joined: that one is seen

const carried = new Map(); // by sale: what ends the wait in this tab
const followers = new Set();

function tell() {
  for (const follower of followers) follower();
}

/**
 * waitIn returns the buyer's wait in a sale, or null. It has what is bought (sku, quantity, choice, key) and worth, the
 * amount of these goods that the buyer saw, whether it is bought without asking (auto), where the wait is (step, code,
 * ahead, first, unlikely, startsAt, admittedAt), since when it is the buyer's turn (turn), trouble, what it waits out
 * (sign_in, trying), the quote that waits for its answer, and at the end the number of the order, or why there is none
 * (ended).
 *
 * @param {string} sale
 */
export function waitIn(sale) {
  try {
    const wait = JSON.parse(kept.getItem(prefix + sale));
    return wait && Date.now() - wait.at < longest ? wait : null;
  } catch {
    return null;
  }
}

// goesOn reports whether a wait has not ended.
export const goesOn = (wait) => Boolean(wait && !wait.order && !wait.ended);

// waits returns the ids of the sales in which the buyer waits.
export const waits = () => salesWhere(goesOn);

// ends returns the ids of the sales in which the wait has ended without an order, until the buyer has seen why.
export const ends = () => salesWhere((wait) => wait?.ended && !wait.ended.seen);

function salesWhere(holds) {
  const names = Object.keys(kept).filter((name) => name.startsWith(prefix));
  return names.map((name) => name.slice(prefix.length)).filter((sale) => holds(waitIn(sale)));
}

// seen notes that the buyer has seen why a wait ended.
export function seen(sale) {
  const ended = waitIn(sale)?.ended;
  if (ended && !ended.seen) change(sale, { ended: { ...ended, seen: true } });
}

// stages are those of waits that a refusal holds up, by its code.
const stages = {
  not_started: 'start',
  sale_paused: 'paused',
  sales_stopped: 'stopped',
  sold_out_unpaid_pending: 'units',
  sold_out_for_now: 'wave',
};

// stageOf returns how far a wait is: start, line, human, permit, units, wave, paused,
// stopped, address, confirm or place.
export function stageOf({ step, code, ahead }) {
  if (step === 'human_check') return 'human';
  if (step === 'destination') return 'address';
  if (step === 'confirm') return 'confirm';
  if (['submit', 'task', 'stored'].includes(step)) return 'place';
  const stage = step === 'wait' && (stages[code] ?? 'permit');
  if (stage && stage !== 'start') return stage;
  return ahead === undefined ? 'start' : 'line';
}

// risen reports whether goods cost more than the buyer saw.
export const risen = (wait, goods) => !(goods <= wait.worth);

// mayBePlaced reports whether the order of a wait may have been placed already, so that its answer decides.
export const mayBePlaced = (wait) => stageOf(wait) === 'place' || Boolean(wait.choice?.confirmation);

// lacksDestination reports whether the buyer has not chosen where the goods of a wait go.
export const lacksDestination = ({ choice }) =>
  Boolean(choice.delivery) && !choice.addressId && !choice.pickupPointId && !choice.confirmation;

// change changes a wait, unless the buyer has left it.
function change(sale, more) {
  const wait = waitIn(sale);
  if (wait) kept.setItem(prefix + sale, JSON.stringify({ ...wait, ...more }));
  tell();
}

// join begins to wait for units of a sku, which cost worth.
export function join(sale, { sku, quantity, choice, worth }) {
  leave(sale);
  const wait = { at: Date.now(), key: newKey(), sku, quantity, choice, worth };
  kept.setItem(prefix + sale, JSON.stringify(wait));
  carry(sale);
  tell();
}

// leave ends a wait. The server keeps the place: who joins again in time has the same one.
export function leave(sale) {
  carried.get(sale)?.abort();
  carried.delete(sale);
  kept.removeItem(prefix + sale);
  tell();
}

// over ends a wait for which nothing is left, and keeps why, as a text of the page.
export function over(sale, reason) {
  carried.get(sale)?.abort();
  change(sale, { ended: { reason }, quote: undefined });
}

// choose sets whether the order is placed without asking.
export const choose = (sale, auto) => change(sale, { auto });

// sendTo sets where the goods go.
export const sendTo = (sale, destination) => change(sale, { choice: { ...waitIn(sale)?.choice, ...destination } });

// answer says whether the order is placed for the quote.
export const answer = (sale, yes) => change(sale, { answer: yes, quote: undefined });

// carry goes on with a wait, once no other tab does.
export function carry(sale) {
  if (carried.has(sale) || !goesOn(waitIn(sale)) || !signedIn()) return;
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
    if (!goesOn(wait)) return; // another tab has ended it
    try {
      const who = await subject();
      if (wait.who && who && wait.who !== who) return leave(sale); // another buyer's
      if (wait.who && !who) throw new OnrushError({ code: 'unauthorized', status: 401 }); // the platform gave no token
      change(sale, { who, step: undefined, quote: undefined, answer: undefined });
      const task = await server.buy({
        activity: sale,
        sku: wait.sku,
        quantity: wait.quantity,
        key: wait.key,
        ...wait.choice,
        signal,
        patienceMs: longest,
        onStep: (step) => note(sale, step),
        ...(lacksDestination(wait) && { destination: () => destined(sale, signal) }),
        confirm: (quote) => confirmed(sale, quote, signal),
      });
      return task ? arrive(sale, task.order_number) : leave(sale);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OnrushError && !passing.has(error.code)) return end(sale, error);
      change(sale, { trouble: error.code === 'unauthorized' ? 'sign_in' : 'trying' });
      if (!signedIn()) return; // it goes on after the sign-in
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
  if (!wait) return carried.get(sale)?.abort(); // a buyer who signed out leaves nothing for the next one
  const first = step.ahead === undefined ? wait.first : Math.max(step.ahead, wait.first ?? 0);
  const placed = confirmation && { choice: { ...wait.choice, confirmation } }; // sent again, it is the same order
  const { ahead, unlikely, startsAt, admittedAt, code } = step;
  const passed = step.step !== 'path' && { trouble: undefined };
  const answered = step.step === 'submit' && { quote: undefined };
  const turn = ['destination', 'confirm'].includes(step.step) ? (wait.turn ?? Date.now()) : undefined;
  change(sale, {
    step: step.step,
    code,
    ahead,
    unlikely,
    startsAt,
    admittedAt,
    first,
    turn,
    ...placed,
    ...passed,
    ...answered,
  });
}

// confirmed returns the buyer's answer to a quote, from any tab. Who wants no question is asked if the price has risen.
function confirmed(sale, quote, signal) {
  const agreed = () => {
    const wait = waitIn(sale);
    return wait?.answer ?? ((wait?.auto && !risen(wait, quote.goods_amount)) || undefined);
  };
  change(sale, { answer: undefined }); // to an earlier quote
  if (agreed()) return true;
  change(sale, { quote });
  return settled(agreed, signal);
}

// destined returns where the goods go, once the buyer has chosen it in any tab.
function destined(sale, signal) {
  return settled(() => {
    const wait = waitIn(sale);
    return wait && !lacksDestination(wait) ? wait.choice : undefined;
  }, signal);
}

// settled returns what read returns, once that is something: it reads again after each change of a wait.
function settled(read, signal) {
  return new Promise((resolve, reject) => {
    const settle = (done, value) => {
      followers.delete(look);
      done(value);
    };
    const look = () => {
      const value = read();
      if (value !== undefined) settle(resolve, value);
    };
    signal.addEventListener('abort', () => settle(reject, signal.reason), { once: true });
    followers.add(look);
    look();
  });
}

// end keeps why a wait ended without an order.
const end = (sale, { code, message }) => change(sale, { ended: { code, message }, quote: undefined });

// arrive ends a wait with its order, and goes to it.
function arrive(sale, order) {
  change(sale, { order, quote: undefined });
  go(sale, order);
}

function go(sale, order) {
  if (location.hash !== `#/wait/${sale}`) location.hash = `#/order/${order}`; // the view of the wait goes by itself
}

// followTabs goes on with waits that other tabs began, since these may close, and goes to their orders if it is seen.
export function followTabs() {
  const orderOf = (text) => JSON.parse(text ?? '{}').order;
  addEventListener('storage', ({ key, oldValue, newValue }) => {
    if (!key?.startsWith(prefix)) return;
    const sale = key.slice(prefix.length);
    if (!goesOn(waitIn(sale))) carried.get(sale)?.abort();
    else setTimeout(() => carry(sale), behind);
    if (orderOf(newValue) && !orderOf(oldValue) && !document.hidden) go(sale, orderOf(newValue));
    tell();
  });
  // A page that the browser keeps for the way back would keep its locks.
  addEventListener('pagehide', () => carried.forEach((stop) => stop.abort()));
  addEventListener('pageshow', ({ persisted }) => persisted && waits().forEach(carry));
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
