// One order: its items, payments, refunds, log and notes.
import { html } from '../vendor/preact-htm.js';
import { money, number, t } from '../shared/texts.js';
import { call, useEvery, useLoad } from '../shared/server.js';
import { addressLine, Loading, Problem } from '../shared/parts.js';
import { grouped } from '../shared/grouped.js';
import { unitsOf } from '../shared/sale_figures.js';
import { pointText } from './list_parts.js';
import { may } from './me.js';
import { moment, Time, zoned } from './moment.js';
import { Action, Badge, Table, To, toMajor, toMinor, words } from './parts.js';
import { refundColumns } from './money.js';
import { sources } from './orders.js';
import { Marks } from './fulfilment.js';
import { Titled } from './titled.js';
import { BackToOrders } from './ways.js';

export function Order({ id, query }) {
  const path = `/orders/${encodeURIComponent(id)}`;
  const { value, error, reload } = useEvery(5000, async () => {
    const [order, refunds] = await Promise.all([
      call('GET', path),
      may('GET /refunds') ? call('GET', `/refunds?order_number=${encodeURIComponent(id)}&page_size=50`) : { items: [] },
    ]);
    const payment = paymentThatPaid(order, refunds.items);
    const outside = !payment || payment.channel === 'outside';
    const items = order.items.map((item) => ({ ...item, left: item.quantity - refundedOf(item, refunds.items) }));
    const returning = refunds.items.some(({ status }) => status === 'pending');
    return { order: { ...order, items, byPayment: Boolean(payment), outside, returning }, refunds: refunds.items };
  });
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const { order, refunds } = value;
  return html`<${BackToOrders} /><div class="row heading">
      <${Titled} title=${t('order')} code=${order.order_number}><${OrderState} order=${order} />
        ${order.fulfilment && html`<${Badge} state=${order.fulfilment.state} />`}
        ${waiting(order).length > 0 && html`<span class="badge waiting">${t('waits_for_codes')}</span>`}<//>
      <${Marks} order=${order} path=${path} reload=${reload} />
      <${Refund} order=${order} reload=${reload} opens=${query === 'do=refund'} />
      <${MarkRefunded} order=${order} path=${path} reload=${reload} />
      <${Decisions} order=${order} path=${path} reload=${reload} /></div>
    ${waiting(order).map((item) => html`<${NoCode} key=${item.sku_id} item=${item} />`)}
    <div class="columns"><${Items} order=${order} reload=${reload} /><${Facts} order=${order} /></div>
    <h2>${t('payments')}</h2>
    <${Table} name=${t('payments')} rows=${order.payments ?? []} columns=${paymentColumns()}
      empty=${t('order_payments_none')} keyOf=${(payment) => payment.pay_number} />
    ${
      may('GET /refunds') &&
      html`<h2>${t('refunds')}</h2>
    <${Table} name=${t('refunds')} rows=${refunds} columns=${refundColumns(reload, { ofOne: true })}
      empty=${t('order_refunds_none')} keyOf=${(refund) => refund.refund_number} />`
    }
    <h2>${t('log')}</h2>
    <${Table} name=${t('log')} rows=${logOf(order, refunds)} columns=${logColumns()} empty=""
      keyOf=${(line) => `${line.at}${line.what}${line.key ?? ''}`} />
    <${Notes} path=${path} notes=${order.notes ?? []} reload=${reload} />`;
}

// OrderState is the state of an order, which is refunded once its money has arrived; what of the money went back so far
// stands beside it.
function OrderState({ order: { status, returning, refunded_amount: refunded, currency } }) {
  const amount = money(refunded ?? 0, currency);
  return html`<${Badge} state=${status === 'refunded' && returning ? 'refunding' : status} />
    ${
      status === 'paid' &&
      refunded > 0 &&
      html`<span class=${`badge ${returning ? 'refunding' : ''}`}
        title=${t(`refund_${returning ? 'refunding' : 'refunded'}_means`)}>
      ${t(returning ? 'refunding_part' : 'refunded_part', { amount })}</span>`
    }`;
}

// refundedOf is how many units of an item operators have refunded.
function refundedOf(item, refunds) {
  const units = refunds.filter(({ reason }) => reason === 'operator').flatMap((refund) => refund.items ?? []);
  return unitsOf(
    units.filter(({ sku_id: id }) => id === item.sku_id),
    'quantity',
  );
}

// decisionsOn returns what an operator may decide about an order for a reason.
function decisionsOn({ status, events }) {
  if (status === 'unpaid') return ['cancel', 'mark_paid'];
  return status === 'refunded' && !events.some(({ what }) => what === 'restocked') ? ['restock'] : [];
}

function Decisions({ order, path, reload }) {
  const reason = { name: 'reason', label: t('why'), required: true, maxlength: 200 };
  return decisionsOn(order).map(
    (what) => html`<${Action} key=${what} route=${`POST /orders/{order_number}/${what}`} label=${t(`order_${what}`)}
      title=${t(`order_${what}`)} help=${t(`order_${what}_help`)} fields=${[reason]}
      kind=${what === 'cancel' ? 'danger' : 'quiet'}
      run=${(body, key) => call('POST', `${path}/${what}`, { key, body })} then=${reload}
      done=${t(`done_order_${what}`)} />`,
  );
}

// paymentThatPaid returns the payment that paid an order. Orders that were marked as paid may have none.
function paymentThatPaid(order, refunds) {
  const wentBack = (payment) =>
    refunds.some((r) => r.pay_number === payment.pay_number && !['operator', 'refunded_outside'].includes(r.reason));
  return (order.payments ?? []).find((p) => ['paid', 'refunding', 'refunded'].includes(p.status) && !wentBack(p));
}

// MarkRefunded records a refund of an order that was paid outside, whose money went back already.
function MarkRefunded({ order, path, reload }) {
  if (order.status !== 'paid' || !order.outside) return null;
  const what = 'order_mark_refunded';
  const fields = [
    { ...amountField(order), required: true },
    { name: 'reference', label: t('refund_reference'), required: true, maxlength: 200 },
    { name: 'reason', label: t('why'), required: true, maxlength: 200 },
  ];
  const run = ({ amount, reference, reason }, key) => {
    const minor = toMinor(amount, order.currency);
    const body = { reference, reason, ...(minor !== undefined && { amount: minor }) };
    return call('POST', `${path}/mark_refunded`, { key, body });
  };
  return html`<${Action} route="POST /orders/{order_number}/mark_refunded" label=${t(what)} title=${t(what)}
    fields=${fields} run=${run} then=${reload} preview=${(typed) => previewOf(order, typed)}
    done=${t('done_recorded')} />`;
}

function Items({ order, reload }) {
  const amount = (n) => money(n, order.currency);
  return html`<section class="card"><h2>${t('what')}</h2>
    ${order.bundle && html`<p class="bundle"><b>${order.bundle.title} × ${order.bundle.quantity}</b></p>`}
    <ul class="items">${order.items.map(
      (item) => html`<li>
      <span>${item.title} × ${item.quantity}</span>
      <span class="row">${amount(item.price * item.quantity)}
        <${LineRefund} order=${order} item=${item} reload=${reload} /></span>
      ${item.voucher_codes?.map(
        (code) => html`<p class="voucher">
        <${To} route="GET /vouchers/{code}" href="#/voucher/${code}">
          <code class="grouped">${grouped(code)}</code><//></p>`,
      )}
      ${item.vouchers_waiting > 0 && html`<p class="voucher warn">${missing(item.vouchers_waiting)}</p>`}</li>`,
    )}</ul>
    <dl class="amounts">
      <div><dt>${t('freight')}</dt><dd>${amount(order.freight_amount)}</dd></div>
      <div><dt>${t('amount')}</dt><dd>${amount(order.total_amount)}</dd></div>
      ${
        order.refunded_amount > 0 &&
        html`
        <div><dt>${t(order.returning ? 'state_refunding' : 'refunded')}</dt>
          <dd>−${amount(order.refunded_amount)}</dd></div>
        <div><dt>${t('amount_left')}</dt><dd>${amount(leftOf(order))}</dd></div>`
      }</dl></section>`;
}

// waiting are the items of an order that wait for voucher codes.
const waiting = (order) => order.items.filter((item) => item.vouchers_waiting > 0);

// NoCode says that a paid item has no code, and leads to their import.
const NoCode = ({ item }) => html`<p class="notice warn row no-code">
  <span class="grow">${t('no_code_left', { sku: item.title })}</span>
  ${
    may('POST /skus/{sku_id}/vouchers:import') &&
    html`<a class="button" href="#/goods?${new URLSearchParams({ sku_id: item.sku_id })}">${t('import_codes')}</a>`
  }</p>`;

// missing says how many voucher codes an item waits for.
const missing = (codes) => (codes === 1 ? t('code_missing') : t('codes_missing', { count: number(codes) }));

function Facts({ order }) {
  const listed = (name, value) => html`<${To} route="GET /orders"
    href="#/money/orders?${new URLSearchParams({ [name]: value })}">${value}<//>`;
  return html`<section class="card"><h2>${t('facts')}</h2><dl class="facts">
    ${fact(
      'buyer',
      html`<${To} route="GET /users/{user_id}/trail" href="#/user/${encodeURIComponent(order.user_id)}">
        ${order.user_id}<//>`,
    )}
    ${fact('sale', order.activity_id && html`<${SaleLink} id=${order.activity_id} />`)}
    ${fact('placed', moment(order.placed_at))}
    ${fact('pay_before', order.status === 'unpaid' && moment(order.pay_before))}
    ${fact('paid_at', order.paid_at && moment(order.paid_at))}
    ${fact('reason', order.cancel_reason && words('cancel', order.cancel_reason))}
    ${fact('delivery', t(`delivery_${order.delivery}`))}
    ${fact('address', order.address && addressLine(order.address))}
    ${(order.former_addresses ?? []).map(({ until, address }) =>
      named(t('former_address', { time: moment(until) }), addressLine(address)),
    )}
    ${fact('carrier', order.fulfilment?.carrier)}
    ${fact('tracking_number', order.fulfilment?.tracking_number)}
    ${fact('phone', order.address?.phone)}
    ${fact('pickup_point', order.pickup_point_id)}
    ${fact('shop', order.shop_id)}
    ${fact('point', order.point_id && pointText(order.point_id))}
    ${fact('client_reference', order.client_reference)}
    ${fact('notify_token', order.notify_token)}
    ${sources.map((name) => fact(name, order[name] && listed(name, order[name])))}
    ${fact('remark', order.remark)}
    ${Object.entries(order.fields ?? {}).map(([name, value]) => named(name, value))}</dl></section>`;
}

// SaleLink is the title of a sale, or its id where that can't be read.
function SaleLink({ id }) {
  const { value } = useLoad(async () => may('GET /activities/{activity_id}') && call('GET', `/activities/${id}`));
  return html`<${To} route="GET /activities/{activity_id}/stats" href="#/live/${id}">
    ${(value && value.title) || id}<//>`;
}

const fact = (name, value) => value && named(t(name), value);

const named = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const paymentColumns = () => [
  [
    t('payment'),
    (p) => html`<${To} route="GET /payments/{pay_number}" href="#/payment/${p.pay_number}">${p.pay_number}<//>`,
    'lead id',
  ],
  [zoned(t('made')), (p) => html`<${Time} at=${p.created_at} />`],
  [t('channel'), (p) => p.channel],
  [t('amount'), (p) => money(p.amount, p.currency), 'number'],
  [t('state'), (p) => html`<${Badge} state=${p.status} />`, 'end'],
];

// whoText says who did something, such as gateway:sandbox, in words.
export const whoText = (who = '') => {
  const [kind, name = kind] = who.split(/:(.*)/);
  return name === kind ? words('who', kind) : `${words('who', kind)} ${name}`;
};

// logOf is the log of an order with its refunds: what was ordered, and what has gone back since.
function logOf({ log }, refunds) {
  const ms = (a, b) => Math.abs(Date.parse(a) - Date.parse(b));
  const ordered = (line) => {
    if (!['refunded', 'partly_refunded'].includes(line.what)) return line;
    const [refund] = refunds.toSorted((a, b) => ms(a.created_at, line.at) - ms(b.created_at, line.at));
    if (!refund || ms(refund.created_at, line.at) > 1000) return line;
    return { ...line, text: t('log_refund_of', { amount: money(refund.amount, refund.currency) }) };
  };
  const gone = refunds
    .filter(({ status, done_at: at }) => status === 'done' && at)
    .map(({ refund_number: key, done_at: at, amount, currency, channel }) => {
      return { at, key, who: `gateway:${channel}`, text: t('log_gone_back', { amount: money(amount, currency) }) };
    });
  return [...log.map(ordered), ...gone].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const logColumns = () => [
  [zoned(t('at')), (l) => html`<${Time} at=${l.at} />`, 'end'],
  [t('what'), (l) => l.text ?? words('log', l.what), 'lead'],
  [t('by'), (l) => whoText(l.who)],
  [t('from_address'), (l) => l.from ?? ''],
];

function Notes({ path, notes, reload }) {
  return html`<div class="row heading"><h2>${t('notes')}</h2>
      <${Action} route="POST /orders/{order_number}/notes"
        label=${t('write_note')} title=${t('write_note')} help=${t('notes_help')}
        fields=${[{ name: 'text', label: t('note'), type: 'textarea', required: true, maxlength: 1000 }]}
        run=${(body, key) => call('POST', `${path}/notes`, { key, body })} then=${reload}
        done=${t('done_noted')} /></div>
    ${notes.length === 0 && html`<p class="empty">${t('notes_none')}</p>`}
    <ul class="list">${notes.map(
      (note) => html`<li class="card"><b>${note.actor}</b>
      <span class="muted"> ${moment(note.at)}</span><p>${note.text}</p></li>`,
    )}</ul>`;
}

// unitFields choose what of an item is refunded: each voucher by its code, other goods by their number.
function unitFields(item) {
  if (item.voucher_codes?.length > 0) {
    return item.voucher_codes.map((code) => ({
      name: `voucher_${code}`,
      label: `${item.title}: ${t('refund_voucher', { code })}`,
      type: 'checkbox',
    }));
  }
  return [
    {
      name: `units_${item.sku_id}`,
      label: t('refund_units', { title: item.title, quantity: item.left }),
      type: 'number',
      step: 1,
      min: 0,
      max: item.left,
      initial: 0,
      steps: true,
    },
  ];
}

// chosenUnits returns what was chosen of an item, as the request has it.
function chosenUnits(item, typed) {
  const codes = (item.voucher_codes ?? []).filter((code) => typed[`voucher_${code}`]);
  return {
    sku_id: item.sku_id,
    quantity: codes.length || Number(typed[`units_${item.sku_id}`] ?? 0),
    ...(codes.length > 0 && { voucher_codes: codes }),
  };
}

// itemsOf are the chosen units of all items, each with its price.
const itemsOf = (order, typed) =>
  typed.what === 'units' ? order.items.map((item) => ({ ...chosenUnits(item, typed), price: item.price })) : [];

const leftOf = (order) => order.total_amount - (order.refunded_amount ?? 0);

// refund sends a refund of an order: of items, each {sku_id, quantity}, of an amount, or of the whole rest.
function refund(order, { reason, force }, items, amount, key) {
  return call('POST', `/orders/${order.order_number}/refund`, {
    key,
    body: {
      reason,
      force: force === 'true',
      ...(items.length > 0 && { items }),
      ...(amount !== undefined && { amount }),
    },
  });
}

const restockRoute = 'POST /orders/{order_number}/restock';

// restock gives back the units of an order whose last money was refunded.
const restock = (order, reason, key) =>
  call('POST', `/orders/${order.order_number}/restock`, { key: `${key}-restock`, body: { reason } });

const amountField = (order) => ({
  name: 'amount',
  label: t('amount'),
  type: 'number',
  min: 0,
  max: toMajor(leftOf(order), order.currency),
  help: t('refund_amount_help', { amount: money(leftOf(order), order.currency) }),
  presets: [[t('refund_all'), () => toMajor(leftOf(order), order.currency)]],
});

// unitsAmount is the field of another amount than the price of the chosen units.
const unitsAmount = (order) => ({
  ...amountField(order),
  label: t('refund_other_amount'),
  help: t('refund_help', { amount: money(leftOf(order), order.currency) }),
  presets: [],
});

// amountOf is how much money goes back for the values in the fields: at first nothing, and never more than is left.
function amountOf(order, typed) {
  if (typed.what === 'all') return leftOf(order);
  const units = itemsOf(order, typed).reduce((sum, item) => sum + item.price * item.quantity, 0);
  return Math.min(toMinor(typed.amount, order.currency) ?? units, leftOf(order));
}

// refundText is what the button of a refund says: how much, once it is known.
const refundText = (amount, order) =>
  amount > 0 ? t('refund_amount', { amount: money(amount, order.currency) }) : t('refund_order');

function refundButton(order, typed) {
  try {
    return refundText(amountOf(order, typed), order);
  } catch {
    return t('refund_order'); // the preview says what is wrong with the amount
  }
}

function previewOf(order, typed) {
  try {
    const amount = amountOf(order, typed);
    return t(amount > 0 ? 'refund_preview' : 'refund_none_yet', { amount: money(amount, order.currency) });
  } catch (error) {
    return error.message;
  }
}

// returnsText says what was begun with a refund of an amount. The money arrives later.
const returnsText = (amount, order) =>
  amount > 0 ? t('done_refund', { amount: money(amount, order.currency) }) : t('done_refund_nothing');

// Refund gives a paid order back, whole or in part. A second try after a lost answer doesn't refund twice.
function Refund({ order, reload, opens }) {
  if (order.status !== 'paid' || !order.byPayment) return null;
  const run = async (typed, key) => {
    const items = itemsOf(order, typed)
      .filter((item) => item.quantity > 0)
      .map(({ price: _, ...item }) => item);
    const amount = toMinor(typed.amount, order.currency);
    if (typed.what === 'units' && items.length === 0) throw new Error(t('refund_nothing'));
    const last = amountOf(order, typed) === leftOf(order);
    if (typed.restock && !last) throw new Error(t('refund_restock_last'));
    const whole = items.length === 0 && last; // the server's own: it ends the vouchers, too
    const refunded = await refund(order, typed, items, whole ? undefined : amount, key);
    if (typed.restock) await restock(order, typed.reason || t('refund_order'), key);
    return refunded;
  };
  return html`<${Action} route="POST /orders/{order_number}/refund"
    label=${t('refund_order')} title=${t('refund_order')} id="refund" kind="danger" opens=${opens}
    fields=${(typed) => refundFields(order, typed)} run=${run} then=${reload}
    preview=${(typed) => previewOf(order, typed)} button=${(typed) => refundButton(order, typed)}
    done=${(_, typed) => returnsText(amountOf(order, typed), order)} />`;
}

// refundFields first ask what is refunded, and then for what that needs.
function refundFields(order, typed) {
  const { what } = typed;
  const ways = [
    ['all', t('refund_all_of', { amount: money(leftOf(order), order.currency) })],
    ['units', t('refund_some')],
    ['amount', t('refund_an_amount')],
  ];
  const hasCodes = order.items.some((item) => item.voucher_codes?.length > 0);
  return [
    { name: 'what', label: t('refund_what'), type: 'choice', options: ways },
    ...(what === 'units' ? order.items.flatMap(unitFields) : []),
    ...(what === 'units' ? [unitsAmount(order)] : []),
    ...(what === 'amount' ? [{ ...amountField(order), required: true, presets: [] }] : []),
    { name: 'reason', label: t('reason_optional'), maxlength: 200 },
    ...(hasCodes ? [{ name: 'force', label: t('refund_force'), type: 'checkbox' }] : []),
    ...(may(restockRoute) ? [restockField(order, typed)] : []),
  ];
}

// restockField can be chosen once all money goes back, and says so.
function restockField(order, typed) {
  let last = false;
  try {
    last = amountOf(order, typed) === leftOf(order);
  } catch {
    // the preview says what is wrong with the amount
  }
  const label = html`<span>${t('refund_restock')}
    ${!last && html`<span class="muted below">${t('refund_restock_last')}</span>`}</span>`;
  return { name: 'restock', label, type: 'checkbox', disabled: !last };
}

// LineRefund gives units of one item back.
function LineRefund({ order, item, reload }) {
  const all = order.items.length + item.quantity === 2; // Refund is the same
  if (order.status !== 'paid' || all || item.left < 1 || !order.byPayment) return null;
  const [first, ...rest] = unitFields(item);
  const units = item.voucher_codes?.length > 0 ? first : { ...first, min: 1, initial: 1, required: true };
  const fields = [units, ...rest, { name: 'reason', label: t('reason_optional'), maxlength: 200 }];
  const run = (typed, key) => {
    const chosen = chosenUnits(item, typed);
    if (chosen.quantity === 0) throw new Error(t('refund_nothing'));
    return refund(order, typed, [chosen], undefined, key);
  };
  const sum = (typed) => Math.min(item.price * chosenUnits(item, typed).quantity, leftOf(order));
  return html`<${Action} route="POST /orders/{order_number}/refund"
    label=${t('refund_line')} title=${t('refund_line_title', { title: item.title })}
    id="refund-${item.sku_id}" kind="danger" fields=${fields} run=${run} then=${reload}
    button=${(typed) => refundText(sum(typed), order)}
    preview=${(typed) => t('refund_preview', { amount: money(sum(typed), order.currency) })}
    done=${(_, typed) => returnsText(sum(typed), order)} />`;
}
