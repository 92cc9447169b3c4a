// The waiting list of a sku that is sold out.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { duration, number, t } from '../shared/texts.js';
import { now, server, signedIn, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { follow } from './order_events.js';
import { Wish } from './wish.js';

const every = 10_000; // ms between two looks at the place; events tell what is offered

const stands = (entry) => !entry.offered_until || Date.parse(entry.offered_until) > now();

// Waitlist lets a buyer wait for units of a sku, shows the place, and says what is offered; buy takes that.
export function Waitlist({ sale, sku, quantity, choice, buy }) {
  const [error, fail] = useState();
  const due = useRef(true); // else a crowd that doesn't wait doesn't look again and again
  const { value: entries = [], reload } = useEvery(every, async () => {
    if (!signedIn() || (!due.current && !sku.sold_out && !entries.length)) return entries;
    const found = await server.waits({ activity: sale.activity_id });
    due.current = false;
    return found;
  });
  const look = () => {
    due.current = true;
    reload();
  };
  useEffect(() => (signedIn() ? follow(look) : undefined), []);
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    look();
  };
  const entry = entries.find((one) => one.sku_id === sku.sku_id && stands(one));
  const leave = () => act(server.leave({ entry: entry.entry_id }));
  const join = (onStep) =>
    act(server.wait({ activity: sale.activity_id, sku: sku.sku_id, quantity, ...choice, onStep }));
  if (!entry && !(sku.sold_out && sale.offer_within_s)) return undefined; // a sale may have units set aside only
  return html`<section class="card" id="waitlist" aria-live="polite">
    ${
      entry
        ? html`<${Entry} entry=${entry} buy=${buy} leave=${leave} />`
        : html`<p>${t('waitlist_why')}</p>
      <${Wish} sale=${sale} label=${t('waitlist_join')} send=${join} />`
    }
    ${error && html`<${Problem} error=${error} />`}</section>`;
}

// Entry is the place of the buyer, or what is offered.
function Entry({ entry, buy, leave }) {
  const { state, quantity, place, offered_until: until } = entry;
  const out = html`<button type="button" class="quiet" onClick=${leave}>${t('waitlist_leave')}</button>`;
  if (state !== 'offered') {
    return html`<p><b>${t('waitlist_place', { place: number(place) })}</b></p>
      <p class="muted">${t('waitlist_told')}</p><p>${out}</p>`;
  }
  const kept = until
    ? t('waitlist_offered', { quantity, time: duration(Math.max(0, Date.parse(until) - now())) })
    : t('waitlist_kept', { quantity });
  return html`<p><b>${kept}</b></p>
    <p class="row"><button type="button" class="go" onClick=${() => buy(quantity)}>${t('waitlist_buy')}</button>
      ${out}</p>`;
}
