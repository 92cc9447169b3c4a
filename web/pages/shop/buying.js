// Buying in a sale: one try at a time, until its order is known.
import { useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { server } from '../shared/server.js';
import { codeOf } from './eligible.js';
import { lacksDestination } from './line.js';
import { alone, forget, keyOf, pending, placing } from './kept_purchase.js';

// useBuying returns buy, resume, goOn and stop, and the state of the last try: whether it is running, its step with the
// code and how many are ahead, the quote to answer, and its error. With instead, buy asks another tab to give way.
export function useBuying(sale, choice) {
  const [state, set] = useState({});
  const running = useRef(null);
  const skuOf = useRef(null);
  const chosen = useRef(null); // takes where the goods go, while the try waits for it
  const update = (more) => set((old) => ({ ...old, ...more }));

  useEffect(
    () => () => {
      // another page of the shop; a reload doesn't come here
      running.current?.stop.abort();
      if (skuOf.current) forget(sale.activity_id, skuOf.current);
    },
    [],
  );

  const run = async (sku, quantity, choice, instead = false) => {
    running.current?.stop.abort();
    await running.current?.done;
    const stop = new AbortController();
    skuOf.current = sku;
    set({ running: true });
    // answered waits for the buyer, until the try is stopped.
    const answered = (ask) =>
      new Promise((resolve, reject) => {
        ask(resolve);
        stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
      });
    let to = {}; // where the goods go, if the buyer chooses that last
    const destination = async () => {
      to = await answered((resolve) => {
        chosen.current = resolve;
      });
      return to;
    };
    const confirm = (quote) =>
      answered((resolve) => {
        const answer = (yes) => {
          update({ quote: undefined });
          resolve(yes);
        };
        update({ quote, answer });
      });
    let sent = false;
    const giveWay = () => {
      if (sent) return false;
      stop.abort();
      set({ error: inOtherTab() });
      return true;
    };
    const onStep = ({ step, ahead, code, confirmation }) => {
      sent ||= step === 'submit';
      if (step === 'submit') placing(sale.activity_id, sku, { ...choice, ...to, confirmation });
      const asksAgain = (old) => step === 'path' && ['wait', 'line'].includes(old.step); // for what it waits for
      set((old) => (asksAgain(old) ? old : { ...old, step, code, ahead }));
    };
    const key = keyOf(sale.activity_id, sku, quantity, choice.lines);
    const buy = async () => {
      const task = await server.buy({
        activity: sale.activity_id,
        sku,
        quantity,
        key,
        signal: stop.signal,
        onStep,
        confirm,
        code: codeOf(sale.activity_id),
        ...(lacksDestination({ choice }) && { destination }),
        ...choice,
      });
      return { task };
    };
    const done = alone(sale.activity_id, sku, buy, { instead, giveWay, lines: choice.lines }).then(
      (result) => {
        if (!result) {
          set({ error: inOtherTab() });
        } else if (!result.task) {
          set({}); // it was not confirmed
        } else {
          forget(sale.activity_id, sku);
          location.hash = `#/order/${result.task.order_number}`;
        }
      },
      (error) => {
        if (stop.signal.aborted) return;
        const unknown = ['unreachable', 'unavailable', 'overloaded', 'internal', 'request_timeout'].includes(
          error.code,
        );
        if (!unknown) forget(sale.activity_id, sku); // the next try is a new order
        set({ error });
      },
    );
    running.current = { stop, done };
    await done;
  };
  const resume = (sku, kept, instead = false) => run(sku, kept.quantity, kept.choice, instead);
  return {
    ...state,
    buy: (sku, quantity, instead = false) => {
      const kept = pending(sale.activity_id, sku.sku_id);
      // What may have been placed is sent again as it was. The server doesn't know by its key an order of other skus as
      // the same, so what was chosen instead waits until the outcome is known.
      const otherSKUs = kept?.choice && (kept.choice.lines || choice.lines);
      return otherSKUs || (kept?.quantity === quantity && isOf(kept.choice, choice))
        ? resume(sku.sku_id, kept, instead)
        : run(sku.sku_id, quantity, choice, instead);
    },
    goOn: () => chosen.current?.(destinationOf(choice)),
    stop: () => {
      running.current?.stop.abort(); // what may have been placed is kept
      set({});
    },
    resume: (sku) => resume(sku, pending(sale.activity_id, sku)),
  };
}

const inOtherTab = () => ({ code: 'other_tab', message: t('other_tab') });

const destinationOf = ({ delivery, addressId, pickupPointId }) => ({ delivery, addressId, pickupPointId });

// isOf reports whether an order that may have been placed is of a choice.
function isOf(placed, choice) {
  return placed && JSON.stringify({ ...choice, confirmation: placed.confirmation }) === JSON.stringify(placed);
}
