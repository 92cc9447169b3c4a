// The button that buys: what it says, what it does, and why it can't be pressed. This depends on nothing but what is
// given, so that a table can test all states.
import { duration, moment, number, roughly, t } from '../shared/texts.js';
import { isEarly, opensAt } from './eligible.js';

/**
 * @typedef {object} Known what the page knows
 * @property {any} sale
 * @property {any} sku the chosen one
 * @property {boolean} [offered] whether units of it are kept for the buyer
 * @property {number} now the server's time in ms
 * @property {boolean} online whether the last request reached the server
 * @property {boolean} signed
 * @property {{ running?: boolean, step?: string, code?: string, ahead?: number, error?: any }} buying the last try
 * @property {{ stage: string, ahead?: number }} [wait] the buyer's wait in the waiting room
 * @property {string} [goods] names what the order has, where the sale has several goods
 * @property {any} delivery as useDelivery returns it
 * @property {string} [sum] what the order costs with the freight, once that is known
 * @property {string} [freight] the freight in it, unless there is none
 */

/**
 * @typedef {object} Button
 * @property {string} label
 * @property {string} reason why it can't be pressed, or what pressing it leads to
 * @property {string} [act] what pressing it does: buy, instead, go_on, join, room, address or sign_in
 * @property {boolean} [disabled]
 * @property {boolean} [busy] a try is under way, so that pressing it does nothing
 * @property {boolean} [quiet] pressing it is not what most want
 * @property {boolean} [warns] the reason is a warning, which stands above the button
 * @property {string} [pickup] where the goods can be picked up instead
 */

/**
 * hopes says whether units of a sku that is sold out may come back, or are sold later.
 *
 * @param {any} sale
 * @param {any} sku
 */
export const hopes = (sale, sku) =>
  sku.sold_out && Boolean(sku.next_wave_at || sku.reserved || sku.unpaid_pending) && sale.state === 'running';

/**
 * buttonOf returns the state of the button. What is under way comes first, then what stops everybody, then what this
 * buyer lacks.
 *
 * @param {Known} known
 * @returns {Button}
 */
export function buttonOf(known) {
  if (known.buying.running)
    return known.buying.step === 'destination' ? whereTo(known) : { ...underWay(known), busy: true };
  if (known.wait) return { label: standing(known, known.wait), reason: t('button_room'), act: 'room' };
  const closed = closedOf(known) ?? lackOf(known);
  if (closed) return { ...closed, disabled: !closed.act };
  const elsewhere = known.buying.error?.code === 'other_tab';
  return elsewhere ? { label: t('button_instead'), reason: '', act: 'instead', quiet: true } : openOf(known);
}

// whereTo asks where the goods go, once the buyer can have them.
function whereTo(known) {
  const lack = lackOf(known, true);
  if (lack) return lack.act ? lack : { ...lack, label: t('button_where'), disabled: true };
  return { label: t('button_go_on'), reason: nextOf(known), act: 'go_on' };
}

// underWay says what a try waits for.
function underWay(known) {
  const { buying, online } = known;
  if (!online) {
    const sent = ['submit', 'task', 'stored'].includes(buying.step);
    return { label: t(sent ? 'button_resend' : 'button_offline'), reason: sent ? t('button_once') : '' };
  }
  if (buying.step === 'line') return { label: inLine(buying.ahead), reason: t('hint_line') };
  if (buying.step !== 'wait') return { label: t(`step_${buying.step ?? 'path'}`), reason: '' };
  return { label: waitingFor(known, buying.code), reason: t(`step_wait_${buying.code}`) };
}

// waitingFor names what a try waits for, by the code of the refusal.
function waitingFor({ sale, sku, now }, code) {
  if (code === 'not_started') return untilStart(sale, now);
  if (code === 'sold_out_for_now') return untilWave(sale, sku, now);
  if (code === 'sale_paused') return t('paused');
  if (code === 'sales_stopped') return t('stopped');
  return t(code === 'sold_out_unpaid_pending' ? 'button_unit' : 'button_turn');
}

// standing says where the buyer stands in the waiting room.
function standing({ sale, sku, now }, { stage, ahead = 0 }) {
  if (sale.stopped || stage === 'stopped') return t('stopped');
  if (sale.paused || stage === 'paused') return t('paused');
  if (stage === 'start') return untilStart(sale, now);
  if (stage === 'wave') return untilWave(sale, sku, now);
  if (stage === 'line') return inLine(ahead);
  return t(stage === 'units' ? 'wait_units_title' : 'wait_turn');
}

const inLine = (ahead) => (ahead > 0 ? t('button_line', { ahead: number(ahead) }) : t('wait_soon'));

function untilStart(sale, now) {
  const left = Date.parse(sale.starts_at) - now;
  return left > 0 ? t('button_start', { time: duration(left) }) : t('wait_joining');
}

// untilWave says how long it takes until more units of a sku are sold.
function untilWave(sale, sku, now) {
  const left = Date.parse(opensAt(sale, sku)) - now;
  return left > 0 ? t('button_wave', { time: duration(left) }) : t('button_turn');
}

// backOf says within which time units of a sku may come back.
export const backOf = ({ back_within_s: s }) => (s ? t('back_within', { time: roughly(s * 1000) }) : t('back_some'));

/**
 * closedOf returns the state in which nobody can buy, if it is one.
 *
 * @param {Known} known
 */
function closedOf({ sale, sku, offered, online }) {
  if (sale.state === 'ended') return { label: t('ended'), reason: t('reason_ended') };
  if (sale.human_check === 'captcha') return { label: t('buy'), reason: t('reason_captcha') };
  if (!online) return { label: t('button_no_connection'), reason: t('connection_back') };
  if (sale.stopped) return { label: t('stopped'), reason: t('reason_stopped') };
  if (sale.paused) return { label: t('button_paused'), reason: t('reason_paused') };
  if (offered || !sku.sold_out || hopes(sale, sku)) return undefined;
  const others = sale.skus.some((other) => !other.sold_out);
  return { label: t('sold_out'), reason: t(others ? 'reason_sold_out_others' : 'reason_sold_out') };
}

// lackOf returns the state in which this buyer can't buy, if it is one. Who waits first is asked where the goods go
// afterwards, and lacks nothing before.
function lackOf(known, atOnce = known.offered || (!known.sale.waiting_room && !hopes(known.sale, known.sku))) {
  const { signed, delivery } = known;
  if (!signed || !delivery.physical || delivery.ready) return undefined;
  const lacking = (reason) => ({ label: t('buy'), reason });
  const elsewhere = (reason) => ({
    label: t(delivery.addresses?.length > 1 ? 'button_address' : 'address_new'),
    reason: t(reason, { region: delivery.region }),
    act: 'address',
    warns: true,
    pickup: delivery.point?.name,
  });
  if (delivery.gone) {
    if (delivery.by !== 'pickup') return elsewhere(known.sku.sold_out ? 'reason_region' : 'reason_region_others');
    return { label: t('button_none_pickup'), reason: t('reason_pickup'), warns: true };
  }
  if (delivery.known && delivery.from === null && delivery.by !== 'pickup') return elsewhere('reason_not_served');
  if (!atOnce) return undefined;
  if (!delivery.known) return lacking(delivery.error ? t('reason_unread') : `${t('loading')} …`);
  if (delivery.by === 'pickup') return lacking(t('reason_point'));
  return lacking(t('reason_address'));
}

/**
 * nextOf says what follows a press, and of which goods where there are several.
 *
 * @param {Known} known
 */
function nextOf({ sale, goods, freight }) {
  const time = roughly(sale.pay_within_s * 1000);
  if (!goods) return t('hint_confirm', { time });
  return t('hint_goods', { goods: freight ? t('goods_and_freight', { goods, freight }) : goods, time });
}

/**
 * openOf returns the state in which the button leads on.
 *
 * @param {Known} known
 */
function openOf(known) {
  const { sale, sku, offered, now, signed, sum } = known;
  if (!signed) return { label: t('sign_in_buy'), reason: t('hint_sign_in'), act: 'sign_in' };
  const buys = { label: sum ? t('buy_for', { amount: sum }) : t('buy'), reason: nextOf(known), act: 'buy' };
  if (offered) return buys;
  const act = sale.waiting_room ? 'join' : 'buy';
  if (isEarly(sale, now)) return { label: t('buy'), reason: t('hint_early_buyers'), act: 'buy' };
  if (sale.state === 'upcoming') {
    return { label: untilStart(sale, now), reason: t('hint_early'), act };
  }
  if (hopes(sale, sku) && sku.next_wave_at) {
    return { label: untilWave(sale, sku, now), reason: t('hint_wave'), act };
  }
  if (hopes(sale, sku) && sku.reserved) {
    const at = moment(opensAt(sale, sku) ?? sale.ends_at);
    return { label: t('buy'), reason: t('hint_reserved', { at }), act };
  }
  if (hopes(sale, sku)) return { label: t('wait_unit'), reason: t('hint_back'), act };
  return act === 'join' ? { label: t('wait_join'), reason: t('hint_line'), act } : buys;
}
