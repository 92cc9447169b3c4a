// A reminder of the start of a sale, or of units of goods that are sold out.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { server, signedIn, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';

const every = 60_000; // ms between two looks at what was told

// kindIn says what a buyer can be reminded of in a sale: its start, units of a sku that is sold out, or nothing.
function kindIn(sale, sku) {
  if (sale.state === 'upcoming') return 'start';
  return sale.state === 'running' && sku.sold_out && !sale.offer_within_s ? 'units' : undefined;
}

/** Remind lets a buyer be reminded, shows that they are, and ends it. */
export function Remind({ sale, sku }) {
  const [error, fail] = useState();
  const kind = kindIn(sale, sku);
  const { value: all = [], reload } = useEvery(every, async () =>
    kindIn(sale, sku) && signedIn() ? server.reminders({ activity: sale.activity_id }) : [],
  );
  if (!kind) return undefined;
  const goods = kind === 'units' ? sku.sku_id : undefined;
  const made = all.find((one) => one.kind === kind && one.sku_id === goods);
  const set = made && (kind === 'start' || made.state === 'waiting');
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    reload();
  };
  const ask = () => act(server.remind({ activity: sale.activity_id, sku: goods, kind }));
  const forget = () => act(server.forgetReminder({ reminder: made.reminder_id }));
  return html`<section class="card" id="remind" aria-live="polite">
    ${
      set
        ? html`<p><b>${t(`remind_set_${kind}`)}</b></p>
      <p><button type="button" class="quiet" onClick=${forget}>${t(`remind_forget_${kind}`)}</button></p>`
        : html`<p>${t(`remind_why_${kind}`)}</p>
      <p><button type="button" onClick=${ask}>${t(`remind_ask_${kind}`)}</button></p>`
    }
    ${error && html`<${Problem} error=${error} />`}</section>`;
}
