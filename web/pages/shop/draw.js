// The draw of a sku: entering it, what was drawn, and buying.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { duration, moment, number, t } from '../shared/texts.js';
import { call, now, server, signedIn, useEvery } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { Icon } from '../shared/icons.js';
import { Problem } from '../shared/parts.js';
import { follow } from './order_events.js';
import { Wish } from './wish.js';

const every = 60_000; // ms between two looks at what was drawn; events tell what is offered
const soon = 2000; // ms between two looks whether the entries are closed, which all buyers share
const spread = 10_000; // ms within which the buyers' pages look at what was drawn

// useEntries loads the buyer's entries in a draw: at first, by its look, once the order is drawn, and each minute from
// then on until nothing more can come.
function useEntries(sale) {
  const due = useRef(true);
  const [entries, keep] = useState([]);
  const entered = entries.some(({ state }) => state === 'entered');
  const started = sale.state !== 'upcoming';
  const { error, reload } = useEvery(started && entered ? soon : every, async () => {
    if (!signedIn()) return;
    if (!due.current) {
      if (!started || entries.every(({ state }) => state === 'over' || state === 'lost')) return;
      if (entered && !(await drawn(sale))) return;
    }
    due.current = false;
    keep(await server.entries({ activity: sale.activity_id }));
  });
  const look = () => {
    due.current = true;
    reload();
  };
  useEffect(() => (signedIn() ? follow(look) : undefined), []);
  return { entries, error, look };
}

// drawn asks whether the entries are closed, and then waits a little: else all buyers look at once.
async function drawn(sale) {
  const path = `/seckill/draws/${encodeURIComponent(sale.activity_id)}/result`;
  if (!(await call('GET', path)).closed_at) return false;
  await new Promise((done) => setTimeout(done, Math.random() * spread));
  return true;
}

// Draw lets a buyer take part in the draw of a sku, says what was drawn, and until when the buyer may buy; buy does it.
// Its button is in the bar, unless quiet says that the bar has another one.
export function Draw({ sale, sku, quantity, choice, quiet, buy }) {
  const [error, fail] = useState();
  const { entries, error: unread, look } = useEntries(sale);
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    look();
  };
  const entry = entries.find((one) => one.sku_id === sku.sku_id);
  const enter = (onStep) =>
    act(server.enter({ activity: sale.activity_id, sku: sku.sku_id, quantity, ...choice, onStep }));
  const leave = () => act(server.withdraw({ activity: sale.activity_id, entry: entry.entry_id }));
  const result = ownPath(`/api/v1/seckill/draws/${encodeURIComponent(sale.activity_id)}/result`);
  const button = actOf({ sale, entry, enter, buy });
  return html`<section id="draw" aria-live="polite"><div class="card">
      ${entry ? html`<${Entry} sale=${sale} entry=${entry} leave=${leave} />` : html`<${Open} sale=${sale} />`}
      <p class="muted"><a href=${result} target="_blank">${t('draw_check')}</a></p></div>
    <div class=${button && !quiet ? 'buy-bar' : ''}>
      ${(error ?? unread) && html`<${Problem} error=${error ?? unread} />`}${button}</div></section>`;
}

// actOf returns the button of what the buyer may do now, if there is one.
function actOf({ sale, entry, enter, buy }) {
  if (!entry) {
    if (sale.state !== 'upcoming') return undefined;
    return html`<${Wish} sale=${sale} label=${t('draw_enter')} primary send=${enter} />`;
  }
  if (entry.state !== 'offered' || leftOf(entry) <= 0) return undefined;
  const take = () => buy(entry.quantity);
  return html`<button type="button" class="go large" onClick=${take}>${t('waitlist_buy')}</button>`;
}

// leftOf returns how many ms what is offered is kept for the buyer.
const leftOf = ({ offered_until: until }) => (until ? Date.parse(until) - now() : 0);

// Open says until when buyers enter.
function Open({ sale }) {
  if (sale.state !== 'upcoming') return html`<p>${t('problem_draw_closed')}</p>`;
  return html`<p>${t('draw_why', { at: moment(sale.starts_at) })}</p>`;
}

// Entry is what has become of the buyer's entry.
function Entry({ sale, entry, leave }) {
  const { state, quantity, rank } = entry;
  const left = leftOf(entry);
  const out = html`<button type="button" class="quiet" onClick=${leave}>${t('draw_leave')}</button>`;
  if (state === 'entered') {
    const drawing = sale.state !== 'upcoming';
    if (drawing) return html`<p><b>${t('draw_now')}</b></p>`;
    return html`<p class="good"><${Icon} name="check" /> <b>${t('draw_entered')}</b></p>
      <p>${t('draw_at', { at: moment(sale.starts_at) })}</p><p>${out}</p>`;
  }
  if (state === 'waiting') {
    return html`<p><b>${t('draw_lost')}</b></p>
      <p class="muted">${t('draw_waiting', { rank: number(rank) })}</p><p>${out}</p>`;
  }
  if (state === 'offered' && left > 0) {
    return html`<p><b>${t('waitlist_offered', { quantity, time: duration(left) })}</b></p>
      <p>${out}</p>`;
  }
  return html`<p><b>${t(state === 'lost' ? 'draw_lost' : 'draw_over')}</b></p>`;
}
