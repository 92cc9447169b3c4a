// The waiting list of a sku that is sold out.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { server } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { Wish } from './wish.js';
import { GiveUp } from './wishes.js';

// Waitlist lets a buyer wait for units of a sku, and shows the place. primary says that there is no other way to the
// goods. entry is the buyer's entry, and look loads it.
export function Waitlist({ sale, sku, quantity, choice, primary, entry, look }) {
  const [error, fail] = useState();
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    look();
  };
  const leave = () => act(server.leave({ entry: entry.entry_id }));
  const join = (onStep) =>
    act(server.wait({ activity: sale.activity_id, sku: sku.sku_id, quantity, ...choice, onStep }));
  if (!entry && !(sku.sold_out && sale.offer_within_s)) return undefined; // a sale may have units set aside only
  return html`<section class="card" id="waitlist" aria-live="polite">
    ${
      entry
        ? html`<${Entry} entry=${entry} leave=${leave} />`
        : html`<p>${t('waitlist_why')}</p>
      <${Wish} sale=${sale} label=${t('waitlist_join')} primary=${primary} send=${join} />`
    }
    ${error && html`<${Problem} error=${error} />`}</section>`;
}

// Entry is the place of the buyer. That units are offered stands at the head of the sale.
function Entry({ entry, leave }) {
  if (entry.state === 'offered') return html`<${GiveUp} entry=${entry} leave=${leave} />`;
  return html`<p><b>${t('waitlist_place', { place: number(entry.place) })}</b></p>
    <p class="muted">${t('waitlist_told')}</p>
    <p><button type="button" class="quiet" onClick=${leave}>${t('waitlist_leave')}</button></p>`;
}
