// What a buyer wishes for in a sale: entries in its draw, or in the waiting lists of its goods, and what is offered for
// them.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { call, now, server, signedIn, useEvery } from '../shared/server.js';
import { isSoldOut } from '../shared/sale_card.js';
import { phrased } from '../shared/phrases.js';
import { follow } from './order_events.js';
import { Sign } from './sign.js';

const often = 10_000; // ms between two looks at the places in a waiting list; events tell what is offered
const every = 60_000; // ms between two looks at what was drawn; events tell what is offered
const soon = 2000; // ms between two looks whether the entries are closed, which all buyers share
const spread = 10_000; // ms within which the buyers' pages look at what was drawn

// isDraw reports whether buyers of a sale are drawn, and isWaited whether they may wait for units: a sale may also have
// units that are set aside for a buyer.
export const isDraw = (sale) => sale.mode === 'draw';
export const isWaited = (sale) =>
  !isDraw(sale) && sale.state === 'running' && Boolean(sale.offer_within_s || sale.holds);

// leftOf returns how many ms what is offered is kept for the buyer: without end if it was set aside.
export const leftOf = ({ offered_until: until }) => (until ? Date.parse(until) - now() : Infinity);

// isOffered reports whether the units of an entry are kept for the buyer now, and offerIn returns the first such entry.
export const isOffered = (entry) => entry.state === 'offered' && leftOf(entry) > 0;
export const offerIn = (entries) => entries.find(isOffered);

/**
 * useWishes loads the buyer's entries in a sale; look loads them again. Those in a draw are loaded at first, once the
 * order is drawn, and each minute from then on until nothing more can come.
 *
 * @param {any} sale
 */
export function useWishes(sale) {
  const due = useRef(true); // else a crowd that wishes for nothing looks again and again
  const [entries, keep] = useState([]);
  const [drawn, lists] = [isDraw(sale), isWaited(sale)];
  const started = sale.state !== 'upcoming';
  const entered = entries.some(({ state }) => state === 'entered');
  const pace = lists ? often : started && entered ? soon : every;
  const { error, reload } = useEvery(pace, async () => {
    if (!signedIn() || !(drawn || lists)) return;
    if (!due.current && !(drawn ? await changes() : entries.length > 0 || isSoldOut(sale))) return;
    due.current = false;
    const of = { activity: sale.activity_id };
    keep(await (drawn ? server.entries(of) : server.waits(of)));
  });
  const changes = async () => {
    if (!started || entries.every(({ state }) => state === 'over' || state === 'lost')) return false;
    return !entered || isClosed(sale);
  };
  const look = () => {
    due.current = true;
    reload();
  };
  useEffect(() => ((drawn || lists) && signedIn() ? follow(look) : undefined), [drawn || lists]);
  return { entries, error, look };
}

// isClosed asks whether the entries are closed, and then waits a little: else all buyers look at once.
async function isClosed(sale) {
  const path = `/seckill/draws/${encodeURIComponent(sale.activity_id)}/result`;
  if (!(await call('GET', path)).closed_at) return false;
  await new Promise((done) => setTimeout(done, Math.random() * spread));
  return true;
}

// Offer says first what the buyer has been waiting for, and until when it can be bought: as an order says it.
export function Offer({ sale, offer }) {
  const title = sale.skus.find((sku) => sku.sku_id === offer.sku_id)?.title ?? offer.sku_id;
  const said = isDraw(sale) ? 'offer_drawn' : offer.offered_until ? 'offer_waited' : 'offer_kept';
  const left = leftOf(offer);
  return html`<section class="card" id="offer">
    <${Sign} of="done" />
    <div role="status"><h2>${phrased(t(said))}</h2>
      <p>${t('offer_goods', { quantity: number(offer.quantity), title })}</p></div>
    ${
      offer.offered_until &&
      html`<p class="left ${left < 120_000 ? 'last' : ''}" role="timer">
        ${t('offer_left', { time: duration(left) })}</p>`
    }</section>`;
}

// GiveUp ends an offer, and says who gets its units. leave is what it does.
export function GiveUp({ entry: { quantity, offered_until: until }, leave }) {
  return html`<div class="give-up"><button type="button" class="link" aria-describedby="given-up" onClick=${leave}>
      ${t(quantity > 1 ? 'offer_give_up_some' : 'offer_give_up', { n: number(quantity) })}</button>
    <p class="muted" id="given-up">${t(until ? 'offer_given_on' : 'offer_given_back')}</p></div>`;
}
