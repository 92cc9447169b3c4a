// A reminder of the start of a sale, or of units of goods that are sold out.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { server, signedIn, useEvery } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { isDraw } from './wishes.js';

const every = 60_000; // ms between two looks at what was told

// kindIn says what a buyer can be reminded of in a sale: its start, units of a sku that is sold out, or nothing.
function kindIn(sale, sku) {
  if (sale.state === 'upcoming') return 'start';
  return sale.state === 'running' && sku.sold_out && !sale.offer_within_s ? 'units' : undefined;
}

/**
 * Remind lets a buyer be reminded, shows that they are, and ends it. With wanted, which is why the buyer has come, it
 * comes into view and has the focus.
 *
 * @param {{ sale: any, sku: any, wanted?: boolean }} props
 */
export function Remind({ sale, sku, wanted = false }) {
  const [error, fail] = useState();
  const section = useRef();
  useEffect(() => {
    if (!wanted || !section.current) return;
    section.current.scrollIntoView({ block: 'center' });
    section.current.querySelector('button').focus({ preventScroll: true });
  }, []);
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
  const said = kind === 'start' && isDraw(sale) ? 'draw' : kind;
  const ask = () => act(server.remind({ activity: sale.activity_id, sku: goods, kind }));
  const forget = () => act(server.forgetReminder({ reminder: made.reminder_id }));
  return html`<section class="card" id="remind" ref=${section} aria-live="polite">
    ${
      set
        ? html`<p><b>${t(`remind_set_${said}`)}</b></p>
      <p><button type="button" class="quiet" onClick=${forget}>${t(`remind_forget_${kind}`)}</button></p>`
        : html`<p>${t(`remind_why_${said}`)}</p>
      <p><button type="button" onClick=${ask}>${t(`remind_ask_${kind}`)}</button></p>`
    }
    ${error && html`<${Problem} error=${error} />`}</section>`;
}
