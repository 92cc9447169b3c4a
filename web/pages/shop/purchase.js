// The form that buys in a sale.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { Description } from '../shared/description.js';
import { money, number, t } from '../shared/texts.js';
import { call, now, signedIn, useServer } from '../shared/server.js';
import { phrased } from '../shared/phrases.js';
import { unitsOf } from '../shared/sale_figures.js';
import { addressLine, Picture } from '../shared/parts.js';
import { Price } from '../shared/sale_card.js';
import { Also, useAlso, whole } from './also.js';
import { Cost, costOf, sumOf } from './cost.js';
import { Delivery, useDelivery } from './delivery.js';
import { Extras, Required, useExtras } from './extras.js';
import { source } from './source.js';
import { BuyBar } from './buy_bar.js';
import { backOf, buttonOf, hopes } from './button.js';
import { useBuying } from './buying.js';
import { forget, pending } from './kept_purchase.js';
import { Confirm } from './confirm.js';
import { Over, overIn } from './over.js';
import { goesOn, join, stageOf, useWaits, waitIn } from './line.js';
import { addressOf } from './sales.js';
import { Remind } from './remind.js';
import { Stepper } from './stepper.js';
import { Stock } from './stock.js';
import { Draw } from './draw.js';
import { Waitlist } from './waitlist.js';
import { isDraw, isWaited, leftOf } from './wishes.js';
import { isFinal, isSent, Pending, Refused } from './verdict.js';

// most returns how many units of a sku the buyer may choose. The limit of the sale, and those of the parts of a bundle,
// count the units of the parts. Of goods that are sold out, no more can come back than there were.
function most(sale, sku) {
  const parts = sku.parts ?? [];
  const limitOf = (id) => sale.skus.find((s) => s.sku_id === id)?.purchase_limit;
  const limits = [
    [sku.purchase_limit, 1],
    [sale.purchase_limit, unitsOf(parts, 'quantity') || 1],
    ...parts.map((part) => [limitOf(part.sku_id), part.quantity]),
  ]
    .filter(([limit]) => limit > 0)
    .map(([limit, units]) => Math.floor(limit / units));
  return Math.max(1, Math.min(9999, (sku.remaining ?? 0) + (sku.reserved ?? 0) || sku.total || 9999, ...limits));
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

// entryOf returns the buyer's entry of a sku that still counts, and how many units it fixes, if it does: those that are
// offered, and those that the buyer waits for. Once a draw is closed nobody chooses any.
function entryOf({ entries }, sale, sku) {
  const draws = isDraw(sale);
  const entry = entries.find((one) => one.sku_id === sku.sku_id && (draws || leftOf(one) > 0));
  const fixes = draws || entry?.state === 'offered' || sku.sold_out;
  const closed = draws && sale.state !== 'upcoming' ? 1 : undefined;
  return { entry, fixed: (fixes ? entry?.quantity : undefined) ?? closed };
}

// useButton returns the state of the button, by what the page knows beside the given things.
function useButton({ sale, sku, offered, goods, all, buying, delivery }) {
  useWaits();
  const { online } = useServer();
  const waited = waitIn(sale.activity_id);
  const wait = goesOn(waited) ? { stage: stageOf(waited), ahead: waited.ahead } : undefined;
  const underWay = buying.quote ? {} : buying; // behind the question nothing runs
  const amount = sumOf(all, 1, delivery);
  const sum = amount === undefined ? undefined : money(amount, sku.currency);
  const freight = amount > all.flash_price ? money(amount - all.flash_price, sku.currency) : undefined;
  return buttonOf({
    sale,
    sku,
    offered,
    now: now(),
    online,
    signed: signedIn(),
    buying: underWay,
    wait,
    goods: sale.skus.length > 1 ? goods : undefined,
    delivery,
    sum,
    freight,
  });
}

// Purchase calls chosen with the goods that the buyer chooses. wishes are as useWishes returns them, and offer is the
// entry whose units are kept for the buyer: its goods are chosen once.
export function Purchase({ sale, query, wishes, offer, chosen: tell }) {
  const kept = sale.skus.find((sku) => pending(sale.activity_id, sku.sku_id)?.choice);
  const [sku, setSKU] = useSKU(sale, kept, query);
  const skuID = sku.sku_id;
  const [wanted, setWanted] = useState(kept ? pending(sale.activity_id, kept.sku_id).quantity : 1);
  const { entry, fixed } = entryOf(wishes, sale, sku);
  const quantity = fixed ?? Math.min(wanted, most(sale, sku));
  const offered = offer?.sku_id === skuID;
  const inLine = sale.waiting_room && !offered;
  const delivery = useDelivery(sku.kind, sku.point_ids, offered ? [] : sku.sold_out_points);
  const basket = useAlso(sale, sku, quantity, (s) => most(sale, s));
  const all = whole(sku, quantity, basket);
  const extras = useExtras(all.required_fields);
  const choice = {
    ...delivery.choice,
    ...extras.choice,
    ...source(),
    ...(basket.lines && { lines: basket.lines }),
  };
  const buying = useBuying(sale, choice);
  const goods = [sku, ...basket.also].map((s) => named(s, s === sku ? quantity : basket.unitsOf(s))).join(', ');
  const button = useButton({ sale, sku, offered, goods, all, buying, delivery });

  useEffect(() => {
    if (kept) buying.resume(kept.sku_id);
  }, []); // the page was loaded again
  const choose = (id) => {
    forget(sale.activity_id, skuID);
    if (buying.running) buying.stop();
    setSKU(id);
    tell(sale.skus.find((s) => s.sku_id === id));
    setWanted(1);
  };
  const change = (units) => {
    if (buying.running) buying.stop();
    setWanted(units);
  };
  useEffect(() => {
    if (offer && !offered && !buying.running) choose(offer.sku_id);
  }, [offer?.entry_id]);
  const chosen = [[sku, fixed ?? wanted], ...basket.wanted];
  const take =
    quantity < (fixed ?? wanted) || basket.less
      ? {
          label: t('take', {
            units: [sku, ...basket.also].map(unitsIn(quantity, basket)).join(', '),
            amount: costOf(all, delivery),
          }),
          amount: costOf(all, delivery),
          left: fewerOf(chosen, (s) => (s === sku ? quantity : basket.unitsOf(s))),
          act: () => {
            forget(sale.activity_id, skuID); // it was refused
            acts[inLine && !buying.running ? 'join' : 'buy']();
            setWanted(quantity);
            for (const s of basket.also) basket.put(s, basket.unitsOf(s));
          },
        }
      : undefined;
  const toRoom = () => {
    location.hash = `#/wait/${encodeURIComponent(sale.activity_id)}`;
  };
  const acts = {
    sign_in: () => call('GET', '/addresses?page_size=1').catch(() => {}), // it asks the buyer to sign in
    join: () => {
      join(sale.activity_id, { sku: sku.sku_id, quantity, choice, worth: all.flash_price });
      toRoom();
    },
    room: toRoom,
    buy: () => buying.buy(sku, quantity),
    instead: () => buying.buy(sku, quantity, true),
    address: () => {
      const choice = /** @type {HTMLSelectElement} */ (document.getElementById('address'));
      const saved = delivery.addresses.length > 1;
      if (!saved) delivery.setAdding(true);
      choice.scrollIntoView({ block: 'center' });
      choice.focus();
      if (saved) choice.showPicker?.();
    },
    go_on: buying.goOn,
  };
  if (isSent(buying)) return html`<${Pending} wanted=${chosen} button=${button} />`;
  if (isFinal(buying.error)) {
    const left = sale.skus.some((s) => s.sku_id !== skuID && !s.sold_out);
    const again = inLine ? acts.join : acts.buy;
    return html`<${Refused} sale=${sale} wanted=${chosen} error=${buying.error} left=${left}
      take=${take} wait=${hopes(sale, sku) && again} again=${again} back=${buying.stop} />`;
  }
  const over = overIn(sale, sale.skus);
  const draws = isDraw(sale);
  const trying = Boolean(buying.running || buying.error);
  const waits = draws || isWaited(sale);
  const enters = draws && !offered; // nothing is bought yet
  const drawn = enters && (Boolean(entry) || sale.state !== 'upcoming');
  const folded = sku.sold_out && !offered;
  const listed = Boolean(over && sale.offer_within_s) && !offered && !trying;
  const wish = { entry, error: wishes.error, look: wishes.look };
  const ways = html`${
    waits &&
    !draws &&
    html`<${Waitlist} sale=${sale} sku=${sku} quantity=${quantity} choice=${choice} primary=${listed} ...${wish} />`
  }<${Remind} sale=${sale} sku=${sku} wanted=${new URLSearchParams(query).has('remind')} />`;
  if (over && !waits && button.act !== 'room' && !buying.running && !buying.error) {
    return html`<${Over} sale=${sale} reason=${over} /><${Remind} sale=${sale} sku=${sku} />`;
  }
  const draw =
    draws && html`<${Draw} sale=${sale} sku=${sku} quantity=${quantity} choice=${choice} quiet=${trying} ...${wish} />`;
  return html`<form onSubmit=${(e) => {
    e.preventDefault();
    if (!button.busy && !button.disabled) acts[button.act]();
  }}>
    <div inert=${button.busy}>
      <${Goods} sale=${sale} sku=${sku} choose=${choose} none=${noneOf({ sale, sku, buying, delivery, offered })} />
      ${folded && ways}
      ${
        !drawn &&
        html`<details class="choice ${folded ? 'folded' : ''}" open=${!folded || !delivery.ready}>
          <summary><span>${goods}${toOf(delivery)} · ${costOf(all, delivery)}</span> <u>${t('change')}</u></summary>
          <${Quantity} units=${quantity} most=${most(sale, sku)} fixed=${Boolean(fixed)} soldOut=${sku.sold_out}
            change=${change} />
          <${Also} basket=${basket} most=${(s) => most(sale, s)} change=${() => buying.running && buying.stop()} />
          <${Delivery} delivery=${delivery} />
          ${!enters && html`<${Extras} extras=${extras} />`}
          <${Cost} sku=${all} quantity=${1} delivery=${delivery} total=${enters ? t('draw_cost') : undefined} />
          </details>
        <${Required} extras=${extras} />`
      }</div>
    ${enters && draw}${!folded && ways}
    ${
      (!enters || trying) &&
      !listed &&
      html`<${BuyBar} button=${button} step=${buying.step} error=${buying.error} stop=${buying.stop}
      take=${buying.code === 'sold_out_unpaid_pending' ? take : undefined}
      pickUp=${() => delivery.setBy('pickup')} />`
    }
    ${offered && draw}
    ${
      buying.quote &&
      html`<${Confirm} quote=${buying.quote} answer=${buying.answer}
      payWithinS=${sale.pay_within_s} />`
    }
  </form>`;
}

// Quantity is how many units the buyer takes: a choice, unless it is fixed or only one of what is sold out can be had.
function Quantity({ units, most: top, fixed, soldOut, change }) {
  if (fixed || (soldOut && top === 1)) {
    return html`<p class="quantity">${t('quantity')} <b>${number(units)}</b></p>`;
  }
  return html`<div class="quantity"><label for="quantity">${t('quantity')}</label>
    <${Stepper} id="quantity" value=${units} most=${top} label=${t('quantity')} change=${change} /></div>`;
}

const named = (sku, units) => `${sku.title} × ${number(units)}`;

// unitsIn returns a function that says how many units of a sku an order has: with the name, where it has several.
const unitsIn = (quantity, basket) => (s, i) => {
  const units = i === 0 ? quantity : basket.unitsOf(s);
  return basket.also.length > 0 ? named(s, units) : number(units);
};

// toOf says where the goods go, once that is known.
function toOf({ physical, by, point, addresses, address }) {
  if (!physical) return '';
  const to = by === 'pickup' ? point?.name : addresses?.filter((a) => a.address_id === address).map(addressLine)[0];
  return to ? ` · ${to}` : '';
}

// fewerOf lists the goods of which fewer are left than the buyer wanted: the title, how many were wanted, and are left.
const fewerOf = (wanted, leftOf) =>
  wanted.filter(([s, units]) => leftOf(s) < units).map(([s, units]) => [s.title, units, leftOf(s)]);

// noneOf says why no unit of the chosen goods can be had now, though the sale has some; '' where another part says so.
function noneOf({ sale, sku, buying: { running, step, code }, delivery: { by, gone, region }, offered }) {
  const only = sale.skus.length === 1;
  if (offered || (sku.sold_out && isDraw(sale))) return '';
  if (sku.unpaid_pending && sku.sold_out) return only ? backOf(sku) : t('sold_out_back', { back: backOf(sku) });
  if (sku.sold_out && only) return '';
  if (running && step === 'wait' && code === 'no_permit') return t('all_ordered');
  return gone && by === 'express' ? t('reason_region', { region }) : undefined;
}

// Goods are the skus of the sale, of which the buyer chooses one; none says why that can't be had now.
function Goods({ sale, sku, choose, none }) {
  const before = sale.state === 'upcoming';
  if (sale.skus.length === 1) {
    return html`<div class="sku only"><${About} sku=${sku} chosen only none=${none} before=${before} /></div>`;
  }
  return html`<fieldset class="skus"><legend>${t('choose')}</legend>${sale.skus.map((s) => {
    const chosen = s.sku_id === sku.sku_id;
    return html`<label class="sku ${chosen ? 'chosen' : ''}">
      <input type="radio" name="sku" value=${s.sku_id} checked=${chosen} onChange=${() => choose(s.sku_id)} />
      <${Picture} url=${s.image_url} title=${s.title} />
      <${About} sku=${s} parts=${partsOf(sale, s)} chosen=${chosen} none=${none} before=${before} /></label>`;
  })}</fieldset>`;
}

// partsOf says what a bundle consists of; '' of other goods.
function partsOf(sale, { parts = [] }) {
  const titleOf = (id) => sale.skus.find((sku) => sku.sku_id === id)?.title ?? id;
  return parts.map((part) => `${part.quantity} × ${titleOf(part.sku_id)}`).join(', ');
}

// About names a sku, its price, how many are left and how many one may buy; of the chosen one, also what it is.
// Of the only one, the price stands above.
function About({ sku, parts = '', chosen, none, only = false, before }) {
  return html`<span class="name">${phrased(sku.title)}</span>
    ${parts && html`<p class="muted parts">${t('parts', { parts })}</p>`}
    ${!only && html`<${Price} price=${sku.flash_price} list=${sku.list_price} currency=${sku.currency} />`}
    ${chosen && sku.description && html`<${Description} text=${sku.description} kind="muted" />`}
    <${Stock} sku=${sku} none=${chosen ? none : undefined} before=${before} />
    ${sku.purchase_limit > 0 && html`<p class="muted limit">${t('limit', { limit: sku.purchase_limit })}</p>`}`;
}
