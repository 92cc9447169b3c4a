// The form that buys in a sale.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { duration, moment, t } from '../shared/texts.js';
import { call, signedIn } from '../shared/server.js';
import { Picture, Problem, StockBar, toneOf } from '../shared/parts.js';
import { Cost } from './cost.js';
import { Delivery, useDelivery } from './delivery.js';
import { Extras, Required, useExtras } from './extras.js';
import { source } from './source.js';
import { useBuying } from './buying.js';
import { forget, pending } from './kept_purchase.js';
import { Confirm } from './confirm.js';
import { goesOn, join, useWaits, waitIn } from './line.js';
import { addressOf, isEnded, Price } from './sales.js';
import { Stepper } from './stepper.js';

// hopes says whether units of a sku that is sold out may come back, and until when that is known.
function hopes(sale, sku) {
  return sku.sold_out && sku.unpaid_pending && sale.state === 'running';
}

// isOver reports whether nothing can be bought in a sale any more.
const isOver = (sale) => isEnded(sale) || sale.skus.every((sku) => sku.sold_out && !hopes(sale, sku));

// offer is the text of the button that buys a sku.
function offer(sale, sku, hope, waits) {
  if (waits) return t('wait_rejoin');
  if (!signedIn()) return t('sign_in_buy');
  if (hope) return t('buy_back');
  if (sku.sold_out) return t('sold_out');
  return t(sale.waiting_room ? 'wait_join' : 'buy');
}

// reasonOf says why nothing can be bought now, or undefined.
function reasonOf(sale, sku, hope, delivery) {
  if (sale.state === 'ended') return t('reason_ended');
  if (sale.human_check === 'captcha') return t('reason_captcha');
  if (sale.paused) return t('reason_paused');
  if (sku.sold_out && !hope) return t('reason_sold_out');
  if (!delivery.physical || delivery.ready || !delivery.signed) return undefined;
  if (!delivery.known) return delivery.error ? t('reason_unread') : `${t('loading')} …`;
  if (delivery.by === 'pickup') return t('reason_point');
  return t(delivery.from === null ? 'problem_region_not_served' : 'reason_address');
}

// hint says what pressing the button leads to, where that isn't buying at once.
function hint(sale) {
  if (sale.state === 'upcoming') return t('hint_early', { starts: moment(sale.starts_at) });
  return sale.waiting_room ? t('hint_line') : t('hint_confirm');
}

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

export function Purchase({ sale, query }) {
  const kept = sale.skus.find((sku) => pending(sale.activity_id, sku.sku_id)?.choice);
  const [sku, setSKU] = useSKU(sale, kept, query);
  const skuID = sku.sku_id;
  const [wanted, setWanted] = useState(kept ? pending(sale.activity_id, kept.sku_id).quantity : 1);
  const quantity = Math.min(wanted, most(sale, sku));
  const delivery = useDelivery(sku.kind, sku.point_ids);
  const extras = useExtras(sku.required_fields);
  const choice = { ...delivery.choice, ...extras.choice, ...source() };
  const buying = useBuying(sale, choice);
  const hope = hopes(sale, sku);
  useWaits();
  const reason = reasonOf(sale, sku, hope, delivery);
  const busy = buying.grey && !buying.quote; // behind the question nothing runs
  const waits = goesOn(waitIn(sale.activity_id));

  useEffect(() => {
    if (kept) buying.resume(kept.sku_id);
  }, []); // the page was loaded again
  const choose = (id) => {
    forget(sale.activity_id, skuID);
    setSKU(id);
    setWanted(1);
  };
  const wait = () => {
    const worth = sku.flash_price * quantity;
    if (!waits) join(sale.activity_id, { sku: sku.sku_id, quantity, choice, worth });
    location.hash = `#/wait/${encodeURIComponent(sale.activity_id)}`;
  };
  const begun = buying.grey || buying.step || buying.quote || buying.error;
  if (isOver(sale) && !waits && !begun) return html`<${Over} sale=${sale} />`;
  return html`<form onSubmit=${(e) => {
    e.preventDefault();
    if (!signedIn())
      call('GET', '/addresses?page_size=1').catch(() => {}); // it asks the buyer to sign in
    else if (sale.waiting_room) wait();
    else if (!buying.grey) buying.buy(sku, quantity);
  }}>
    ${
      sale.skus.length === 1
        ? html`<div class="sku only"><${About} sku=${sku} chosen only /></div>`
        : html`<fieldset class="skus"><legend>${t('choose')}</legend>${sale.skus.map(
            (s) => html`<label class="sku ${s.sku_id === skuID ? 'chosen' : ''}">
              <input type="radio" name="sku" value=${s.sku_id} checked=${s.sku_id === skuID}
                onChange=${() => choose(s.sku_id)} />
              <${Picture} url=${s.image_url} title=${s.title} tone=${toneOf(s.sku_id)} />
              <${About} sku=${s} chosen=${s.sku_id === skuID} /></label>`,
          )}</fieldset>`
    }
    <div class="quantity"><label for="quantity">${t('quantity')}</label>
      <${Stepper} id="quantity" value=${quantity} most=${most(sale, sku)} label=${t('quantity')}
        change=${setWanted} /></div>
    <${Delivery} delivery=${delivery} />
    <${Required} extras=${extras} />
    <${Extras} extras=${extras} />
    <${Cost} sku=${sku} quantity=${quantity} delivery=${delivery} />
    ${hope && html`<p class="hope" role="timer">${t('back_within', { time: duration(sku.back_within_s * 1000) })}</p>`}
    <button id="buy" class="go large" aria-disabled=${busy ? 'true' : undefined}
      disabled=${!waits && reason !== undefined} aria-describedby="reason">
      ${busy ? t('buying') : offer(sale, sku, hope, waits)}</button>
    <p id="reason" class="muted">${reason ?? hint(sale)}</p>
    <div aria-live="polite">${buying.step && !buying.quote && html`<p class="step">${buying.step}</p>`}
      <${Problem} error=${buying.error} /></div>
    ${
      buying.quote &&
      html`<${Confirm} quote=${buying.quote} answer=${buying.answer}
      payWithinS=${sale.pay_within_s} />`
    }
  </form>`;
}

// Over stands in the place of the form where nothing can be bought any more, and leads on.
function Over({ sale }) {
  return html`<div class="over notice"><h2>${t(isEnded(sale) ? 'reason_ended' : 'reason_sold_out')}</h2>
    <p>${t('over_next')}</p>
    <p class="row"><a class="button go" href="#/">${t('first_page')}</a>
      <a class="button quiet" href="#/orders">${t('menu_orders')}</a></p></div>`;
}

// About names a sku, its price, how many are left and how many one may buy; of the chosen one, also what it is.
// Of the only one, the price stands above.
function About({ sku, chosen, only = false }) {
  return html`<span class="name">${sku.title}</span>
    ${!only && html`<${Price} price=${sku.flash_price} list=${sku.list_price} currency=${sku.currency} />`}
    ${chosen && sku.description && html`<p class="muted description">${sku.description}</p>`}
    <${StockBar} left=${sku.remaining} total=${sku.total} sold=${sku.sold_out} />
    ${sku.purchase_limit > 0 && html`<p class="muted limit">${t('limit', { limit: sku.purchase_limit })}</p>`}`;
}
