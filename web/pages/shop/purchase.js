// The form that buys in a sale.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { Description } from '../shared/description.js';
import { t } from '../shared/texts.js';
import { call, now, signedIn, useServer } from '../shared/server.js';
import { Picture, StockBar, toneOf } from '../shared/parts.js';
import { Price } from '../shared/sale_card.js';
import { Cost } from './cost.js';
import { Delivery, useDelivery } from './delivery.js';
import { Extras, Required, useExtras } from './extras.js';
import { source } from './source.js';
import { BuyBar } from './buy_bar.js';
import { buttonOf, hopes } from './button.js';
import { useBuying } from './buying.js';
import { forget, pending } from './kept_purchase.js';
import { Confirm } from './confirm.js';
import { Over, overIn } from './over.js';
import { goesOn, join, stageOf, useWaits, waitIn } from './line.js';
import { addressOf } from './sales.js';
import { Stepper } from './stepper.js';
import { isFinal, isSent, Pending, Refused } from './verdict.js';

// most returns how many units of a sku the buyer may choose.
function most(sale, sku) {
  const limits = [sku.purchase_limit, sale.purchase_limit].filter((limit) => limit > 0);
  return Math.max(1, Math.min(9999, sku.remaining || 9999, ...limits));
}

// useSKU returns the sku that is chosen, at first the one of a purchase that is under way or else the one in the
// address, and a function that chooses another one. The address keeps it for the way back.
function useSKU(sale, kept, query) {
  const named = new URLSearchParams(query).get('sku');
  const first = kept ?? sale.skus.find((sku) => sku.sku_id === named) ?? sale.skus.find((sku) => !sku.sold_out);
  const [id, set] = useState((first ?? sale.skus[0]).sku_id);
  const choose = (next) => {
    history.replaceState(null, '', addressOf(sale.activity_id, next));
    set(next);
  };
  return [sale.skus.find((sku) => sku.sku_id === id) ?? sale.skus[0], choose];
}

// useButton returns the state of the button, by what the page knows beside the given things.
function useButton({ sale, sku, buying, delivery }) {
  useWaits();
  const { online } = useServer();
  const waited = waitIn(sale.activity_id);
  const wait = goesOn(waited) ? { stage: stageOf(waited), ahead: waited.ahead } : undefined;
  const underWay = buying.quote ? {} : buying; // behind the question nothing runs
  return buttonOf({ sale, sku, now: now(), online, signed: signedIn(), buying: underWay, wait, delivery });
}

export function Purchase({ sale, query }) {
  const kept = sale.skus.find((sku) => pending(sale.activity_id, sku.sku_id)?.choice);
  const [sku, setSKU] = useSKU(sale, kept, query);
  const skuID = sku.sku_id;
  const [wanted, setWanted] = useState(kept ? pending(sale.activity_id, kept.sku_id).quantity : 1);
  const quantity = Math.min(wanted, most(sale, sku));
  const delivery = useDelivery(sku.kind, sku.point_ids, sku.sold_out_points);
  const extras = useExtras(sku.required_fields);
  const choice = { ...delivery.choice, ...extras.choice, ...source() };
  const buying = useBuying(sale, choice);
  const button = useButton({ sale, sku, buying, delivery });

  useEffect(() => {
    if (kept) buying.resume(kept.sku_id);
  }, []); // the page was loaded again
  const choose = (id) => {
    forget(sale.activity_id, skuID);
    if (buying.running) buying.stop();
    setSKU(id);
    setWanted(1);
  };
  const change = (units) => {
    if (buying.running) buying.stop();
    setWanted(units);
  };
  const toRoom = () => {
    location.hash = `#/wait/${encodeURIComponent(sale.activity_id)}`;
  };
  const acts = {
    sign_in: () => call('GET', '/addresses?page_size=1').catch(() => {}), // it asks the buyer to sign in
    join: () => {
      join(sale.activity_id, { sku: sku.sku_id, quantity, choice, worth: sku.flash_price * quantity });
      toRoom();
    },
    room: toRoom,
    buy: () => buying.buy(sku, quantity),
    instead: () => buying.buy(sku, quantity, true),
    address: () => document.getElementById('address').focus(),
    go_on: buying.goOn,
  };
  if (isSent(buying)) return html`<${Pending} sku=${sku} quantity=${quantity} button=${button} />`;
  if (isFinal(buying.error)) {
    const left = sale.skus.some((s) => s.sku_id !== skuID && !s.sold_out);
    const wait = hopes(sale, sku) && (sale.waiting_room ? acts.join : acts.buy);
    return html`<${Refused} sale=${sale} sku=${sku} quantity=${quantity} error=${buying.error} left=${left}
      wait=${wait} back=${buying.stop} />`;
  }
  const over = overIn(sale, sale.skus);
  if (over && button.act !== 'room' && !buying.running && !buying.error) {
    return html`<${Over} sale=${sale} reason=${over} />`;
  }
  return html`<form onSubmit=${(e) => {
    e.preventDefault();
    if (!button.busy && !button.disabled) acts[button.act]();
  }}>
    <div inert=${button.busy}>
      <${Goods} sale=${sale} sku=${sku} choose=${choose} />
      <div class="quantity"><label for="quantity">${t('quantity')}</label>
        <${Stepper} id="quantity" value=${quantity} most=${most(sale, sku)} label=${t('quantity')}
          change=${change} /></div>
      <${Delivery} delivery=${delivery} />
      <${Required} extras=${extras} />
      <${Extras} extras=${extras} />
      <${Cost} sku=${sku} quantity=${quantity} delivery=${delivery} /></div>
    <${BuyBar} button=${button} step=${buying.step} error=${buying.error} stop=${buying.stop} />
    ${
      buying.quote &&
      html`<${Confirm} quote=${buying.quote} answer=${buying.answer}
      payWithinS=${sale.pay_within_s} />`
    }
  </form>`;
}

// Goods are the skus of the sale, of which the buyer chooses one.
function Goods({ sale, sku, choose }) {
  return sale.skus.length === 1
    ? html`<div class="sku only"><${About} sku=${sku} chosen only /></div>`
    : html`<fieldset class="skus"><legend>${t('choose')}</legend>${sale.skus.map(
        (s) => html`<label class="sku ${s.sku_id === sku.sku_id ? 'chosen' : ''}">
              <input type="radio" name="sku" value=${s.sku_id} checked=${s.sku_id === sku.sku_id}
                onChange=${() => choose(s.sku_id)} />
              <${Picture} url=${s.image_url} title=${s.title} tone=${toneOf(s.sku_id)} />
              <${About} sku=${s} chosen=${s.sku_id === sku.sku_id} /></label>`,
      )}</fieldset>`;
}

// About names a sku, its price, how many are left and how many one may buy; of the chosen one, also what it is.
// Of the only one, the price stands above.
function About({ sku, chosen, only = false }) {
  return html`<span class="name">${sku.title}</span>
    ${!only && html`<${Price} price=${sku.flash_price} list=${sku.list_price} currency=${sku.currency} />`}
    ${chosen && sku.description && html`<${Description} text=${sku.description} kind="muted" />`}
    <${StockBar} left=${sku.remaining} total=${sku.total} sold=${sku.sold_out} />
    ${sku.purchase_limit > 0 && html`<p class="muted limit">${t('limit', { limit: sku.purchase_limit })}</p>`}`;
}
