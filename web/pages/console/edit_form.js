// The form of a sale, and what the server takes. Amounts are texts in major units, times are of the reader's zone, and
// an empty field is none.
import { isBundle } from '../shared/sale_figures.js';
import { eligibilityOf, eligibleForm } from './edit_eligible.js';
import { reservedForm, reservedForOf, reservedOf } from './edit_reserved.js';
import { ownShop } from './me.js';
import { toMajor, toMinor } from './parts.js';
import { local, utc } from './sale_actions.js';

const limits = ['item', 'user', 'ip'];
const texts = ['title', 'description', 'image_url'];
const plain = (value) => JSON.stringify(value, (_, v) => (typeof v === 'number' ? String(v) : v)); // fields have texts
export const same = (a, b) => plain(a) === plain(b);
const bound = (n) => (n === undefined || n < 0 ? '' : n);
const unbound = (text) => (text === '' || text === undefined ? -1 : Number(text));

export const currencyOf = (skuID, skus) => skus.find((sku) => sku.sku_id === skuID)?.currency ?? 'CNY';

// pricedIn is the currency of the price of a sku in the form. A stored price keeps its currency.
export const pricedIn = (sku, skus) => sku.currency ?? currencyOf(sku.sku_id, skus);

// priceOf is the price that the form offers for a sku: its list price.
export function priceOf(skuID, skus) {
  const sku = skus.find((s) => s.sku_id === skuID);
  return toMajor(sku?.price, currencyOf(skuID, skus));
}

// isDelivered reports whether a sku has stock at stock points; all units of others are at point 0.
export const isDelivered = (skuID, skus) =>
  (skus.find((sku) => sku.sku_id === skuID)?.kind ?? 'physical') === 'physical';

// withUnits returns a sku with another number of units at a stock point; an empty one takes it away from there.
export function withUnits(sku, point, quantity) {
  if (quantity === '') return { ...sku, stock: sku.stock.filter((stock) => stock.point_id !== point) };
  const there = sku.stock.some((stock) => stock.point_id === point);
  const next = { point_id: point, quantity };
  return {
    ...sku,
    stock: there ? sku.stock.map((stock) => (stock.point_id === point ? next : stock)) : [...sku.stock, next],
  };
}

// columnsOf are the ids of the stock points that the skus of a form have, or may have, in the order of all points.
export function columnsOf(form, points) {
  const used = new Set([...form.skus.flatMap((sku) => sku.stock.map((s) => s.point_id)), ...(form.points ?? [])]);
  if (used.size === 0) used.add('0');
  const known = points.map((point) => point.point_id).filter((id) => used.has(id));
  return [...known, ...[...used].filter((id) => !known.includes(id))];
}

// emptySale is the form of a new sale: an hour from the next full hour on, of the first sku.
export function emptySale(skus, points) {
  const hour = 3_600_000;
  const starts = Math.ceil(Date.now() / hour) * hour;
  const [sku] = skus;
  return {
    title: '',
    description: '',
    image_url: '',
    shop_id: sku?.shop_id ?? ownShop() ?? '',
    starts_at: local(starts),
    ends_at: local(starts + hour),
    pay_within: 15,
    pay_grace: '',
    purchase_limit: '',
    permit_ratio: '',
    human_check: 'none',
    paths_per_second: '',
    segments: '',
    offer_within_s: '',
    mode: '',
    basket_max: '',
    expected_visitors: '',
    ...eligibleForm(),
    ...reservedForm(),
    limit_item: '',
    limit_user: '',
    limit_ip: '',
    points: [],
    skus: sku ? [emptySku(sku, points)] : [],
  };
}

export function emptySku(sku, points) {
  const first = points.find((p) => p.point_id === '0') ?? points[0];
  const point = sku.kind === 'physical' ? first : undefined;
  return {
    sku_id: sku.sku_id,
    flash_price: toMajor(sku.price, sku.currency),
    currency: sku.currency,
    purchase_limit: '',
    stock: [{ point_id: point?.point_id ?? '0', quantity: 100 }],
  };
}

// formOf is the form of a stored sale.
export function formOf(sale, skus) {
  const form = {
    ...Object.fromEntries(texts.map((name) => [name, sale[name] ?? ''])),
    shop_id: sale.shop_id,
    starts_at: local(sale.starts_at),
    ends_at: local(sale.ends_at),
    pay_within: sale.pay_within_s / 60,
    pay_grace: sale.pay_grace_s ? sale.pay_grace_s / 60 : '',
    purchase_limit: bound(sale.purchase_limit),
    permit_ratio: bound(sale.permit_ratio),
    human_check: sale.human_check,
    paths_per_second: bound(sale.waiting_room?.paths_per_second),
    segments: (sale.segments ?? []).join(' '),
    offer_within_s: sale.offer_within_s ?? '',
    mode: sale.mode ?? '',
    basket_max: sale.basket_max ?? '',
    expected_visitors: sale.expected_visitors ?? '',
    ...eligibleForm(sale),
    ...reservedForm(sale),
    points: [],
    skus: sale.skus.map((sku) => ({
      sku_id: sku.sku_id,
      flash_price: toMajor(sku.flash_price, pricedIn(sku, skus)),
      currency: sku.currency,
      purchase_limit: bound(sku.purchase_limit),
      stock: sku.stock.map((stock) => ({ ...stock })),
      parts: sku.parts?.map((part) => ({ ...part })),
      waves: sku.waves?.map(({ at, ...wave }) => ({ ...wave, at: local(at), stored: at })),
      reserved: sku.reserved?.map((units) => ({ ...units })),
    })),
  };
  for (const name of limits) {
    const limit = sale.limits?.[name];
    form[`limit_${name}`] = limit && limit.requests >= 0 ? `${limit.requests}/${limit.seconds}` : '';
  }
  return form;
}

function limitsOf(form) {
  return Object.fromEntries(
    limits.map((name) => {
      const [requests, seconds] = form[`limit_${name}`].split('/').map(Number);
      return [name, seconds ? { requests, seconds } : { requests: -1 }];
    }),
  );
}

const wordsIn = (text) => text.split(/[\s,，、]+/).filter(Boolean);

// gatesOf is what a draft and a published sale take alike.
const gatesOf = (form, stored) => ({
  ...Object.fromEntries(texts.map((name) => [name, form[name]])),
  ends_at: utc(form.ends_at, stored?.ends_at),
  purchase_limit: unbound(form.purchase_limit),
  permit_ratio: unbound(form.permit_ratio),
  pay_grace_s: Math.round(Number(form.pay_grace) * 60),
  human_check: form.human_check,
  limits: limitsOf(form),
  waiting_room: { paths_per_second: unbound(form.paths_per_second) },
  offer_within_s: Number(form.offer_within_s || 0),
  segments: form.segments === undefined ? (stored?.segments ?? []) : wordsIn(form.segments),
  eligibility: eligibilityOf(form, stored),
  reserved_for: reservedForOf(form, stored),
  expected_visitors: Number(form.expected_visitors || 0),
});

const waveOf = ({ point_id, at, quantity, stored }) => ({ point_id, at: utc(at, stored), quantity: Number(quantity) });

// skuOf is a sku as requests have it. A price that is no amount is an error of its field.
function skuOf(sku, skus, row) {
  try {
    return {
      sku_id: sku.sku_id,
      flash_price: toMinor(sku.flash_price, pricedIn(sku, skus)),
      purchase_limit: unbound(sku.purchase_limit),
      ...(sku.waves && !isBundle(sku) && { waves: sku.waves.map(waveOf) }),
      ...(sku.reserved && { reserved: reservedOf(sku) }),
    };
  } catch (error) {
    throw Object.assign(error, { fields: { [`price-${row}`]: error.message } });
  }
}

// bodyOf is the whole sale, with what stored, if there is one, has and the form doesn't show.
export function bodyOf(form, skus, stored) {
  return {
    ...gatesOf(form, stored),
    ...(stored?.images && { images: stored.images }),
    limit_key: form.limit_key ?? stored?.limit_key ?? '',
    ...(form.mode && { mode: form.mode }),
    basket_max: Number(form.basket_max) || undefined,
    shop_id: form.shop_id,
    starts_at: utc(form.starts_at, stored?.starts_at),
    pay_within_s: Math.round(Number(form.pay_within) * 60),
    skus: form.skus.map((sku, row) => ({
      ...skuOf(sku, skus, row),
      currency: pricedIn(sku, skus),
      ...(isBundle(sku)
        ? { parts: sku.parts.map((part) => ({ sku_id: part.sku_id, quantity: Number(part.quantity) })) }
        : { stock: sku.stock.map((stock) => ({ point_id: stock.point_id, quantity: Number(stock.quantity) })) }),
    })),
  };
}

const keys = { skus: 'sku_id', stock: 'point_id' }; // of the items of lists

// merged is a form with what others have stored and, over it, each field that differs in mine from base, from which
// both were made.
export function merged(base, mine, theirs) {
  return Object.fromEntries(
    Object.entries({ ...theirs, ...mine, ...theirs }).map(([name, their]) => {
      if (keys[name]) return [name, mergedList(keys[name], base[name] ?? [], mine[name], their)];
      return [name, same(mine[name], base[name]) ? their : mine[name]];
    }),
  );
}

function mergedList(key, base, mine, theirs) {
  const of = (list, item) => list.find((other) => other[key] === item[key]);
  const kept = theirs
    .filter((their) => of(mine, their) || !of(base, their)) // the others were removed here
    .map((their) => (of(mine, their) ? merged(of(base, their) ?? {}, of(mine, their), their) : their));
  return [...kept, ...mine.filter((my) => !of(theirs, my) && !same(my, of(base, my)))];
}
