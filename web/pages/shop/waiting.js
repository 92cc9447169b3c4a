// The waiting room of a sale: how many are ahead, how long it takes, what happens next, and how to leave.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { clock, duration, money, number, problemText, roughly, t } from '../shared/texts.js';
import { call, know, useEvery, useTick } from '../shared/server.js';
import { msUntil } from '../shared/sale_figures.js';
import { entitle } from '../shared/title.js';
import { phrased } from '../shared/phrases.js';
import { Bar, Loading, Picture, Problem } from '../shared/parts.js';
import { pictureOf, StateBadge } from '../shared/sale_card.js';
import { Confirm } from './confirm.js';
import { Cost } from './cost.js';
import { Delivery, useDelivery } from './delivery.js';
import { inWords } from './demo_words.js';
import { opensAt } from './eligible.js';
import { Over, overIn } from './over.js';
import { addressOf } from './sales.js';
import {
  answer,
  carry,
  choose,
  goesOn,
  lacksDestination,
  leave,
  mayBePlaced,
  over,
  risen,
  seen,
  sendTo,
  stageOf,
  useWaits,
  waitIn,
} from './line.js';

const turnLasts = 120_000; // ms that a buyer may take at the turn
const settles = 30_000; // ms that a sale is sold out until a wait ends: a cancelled order gives its units back

export function Waiting({ id }) {
  const {
    value: sale,
    error,
    reload,
  } = useEvery(5000, async () => {
    const read = await call('GET', `/activities/${encodeURIComponent(id)}`);
    know(read.server_time);
    return inWords(read);
  });
  useWaits();
  useTick();
  const wait = waitIn(id);
  useEffect(() => carry(id), []);
  useEffect(() => {
    if (wait?.order) location.replace(`#/order/${wait.order}`); // the way back leads past the waiting room
  }, [wait?.order]);
  const reason = sale && wait && !mayBePlaced(wait) ? overFor(sale, wait) : undefined;
  useEffect(() => {
    if (!reason || !goesOn(wait)) return undefined;
    const timer = setTimeout(() => over(id, reason), reason === 'reason_ended' ? 0 : settles);
    return () => clearTimeout(timer);
  }, [reason]);
  if (!sale) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  if (reason || !goesOn(wait)) return html`<${Ended} sale=${sale} wait=${wait} reason=${reason} />`;
  return html`<${Room} sale=${sale} wait=${wait} />`;
}

// overFor says why nothing is left of what a buyer waits for, as overIn does.
function overFor(sale, wait) {
  const wanted = sale.skus.filter((sku) => sku.sku_id === wait.sku);
  return overIn(sale, wanted.length > 0 ? wanted : sale.skus);
}

// Ended says that the buyer doesn't wait, and why not any more.
function Ended({ sale, wait, reason: now }) {
  const error = wait?.ended;
  useTitle(sale.title);
  useEffect(() => seen(sale.activity_id), [error && Boolean(error.seen)]);
  const reason = now ?? error?.reason;
  if (reason) {
    const title = error?.code === 'offline' ? problemText(error) : t(reason);
    const sku = sale.skus.find((s) => s.sku_id === wait?.sku);
    const goods = sku && html`<br />${what(sku, wait.quantity)}`;
    return html`<section class="card narrow waiting">
      <div class="waiting-for"><${Picture} ...${pictureOf(sale)} />
        <span><b>${sale.title}</b>${goods}<br /><${StateBadge} sale=${sale} /></span></div>
      <div role="status"><${Over} sale=${sale} reason=${reason} title=${title} note=${wait && t('wait_nothing')} />
      </div></section>`;
  }
  const captcha = error?.code === 'human_check_required' && sale.human_check === 'captcha';
  const shown = captcha ? { code: '', message: t('reason_captcha') } : error;
  const back = html`<a class="button go large" href=${addressOf(sale.activity_id, wait?.sku)}>${t('wait_back')}</a>`;
  return html`<section class="card narrow waiting"><h1>${sale.title}</h1>
    ${error ? html`<${Problem} error=${shown} />` : html`<p class="empty">${t('wait_none')}</p>`}
    <p class="row acts">${back}</p></section>`;
}

// useTitle puts what the view says first into the title of the tab.
function useTitle(title) {
  useEffect(() => {
    entitle(title);
  }, [title]);
}

function Room({ sale, wait }) {
  const sku = sale.skus.find((s) => s.sku_id === wait.sku);
  const stage = stageOf(wait);
  const held = heldBy(sale, stage);
  const title = held ? t(held) : titleOf(stage, wait, sale, sku);
  const turn = ['address', 'confirm'].includes(stage);
  const left = turn ? turnLeft(wait) : msUntil(stage === 'wave' ? opensAt(sale, sku) : sale.starts_at);
  const counting = !held && (turn || stage === 'start' || stage === 'wave') && left > 0;
  useTitle(title);
  const price = sku && sku.flash_price * wait.quantity;
  const go = () => {
    leave(sale.activity_id);
    location.hash = addressOf(sale.activity_id, wait.sku);
  };
  return html`<section class="card narrow waiting">
    <a class="waiting-for" href=${addressOf(sale.activity_id, wait.sku)}>
      <${Picture} ...${pictureOf(sale)} />
      <span><b>${sale.title}</b><br />${sku && what(sku, wait.quantity)}</span></a>
    <div class=${turn && !held ? 'turn' : ''} role=${counting ? 'timer' : 'status'}>
      <h1 class="figure">${phrased(title)}</h1></div>
    ${stage === 'line' && wait.first > wait.ahead && html`<${Bar} value=${wait.first - wait.ahead} of=${wait.first} />`}
    <p>${held ? t(`${held}_help`) : sentenceOf(stage, wait, sale)}</p>
    ${wait.unlikely && html`<p class="notice">${t('wait_unlikely')}</p>`}
    ${wait.trouble && html`<p class="notice" role="status">${t(`wait_${wait.trouble}`)}</p>`}
    ${price > wait.worth && html`<p class="notice">${t('wait_risen', { price: money(wait.worth, sku.currency) })}</p>`}
    ${sku && lacksDestination(wait) && html`<${Destination} sale=${sale} sku=${sku} wait=${wait} turn=${turn} />`}
    ${!turn && html`<${Next} sale=${sale} stage=${stage} auto=${wait.auto} />`}
    ${!turn && html`<p>${t('wait_open')}</p><${Auto} sale=${sale} wait=${wait} />`}
    <div class="row leave"><button type="button" id="leave" disabled=${stage === 'place'} aria-describedby="leave-help"
      onClick=${go}>${t('wait_leave')}</button></div>
    <p class="muted" id="leave-help">${leaveHelp(stage, wait)}</p>
    ${
      wait.quote &&
      html`<${Confirm} quote=${wait.quote} payWithinS=${sale.pay_within_s}
        answer=${(yes) => answer(sale.activity_id, yes)}
        notice=${risen(wait, wait.quote.goods_amount) && t('confirm_risen')} />`
    }
  </section>`;
}

// Auto lets the order be placed without a question.
function Auto({ sale, wait }) {
  return html`<div class="auto"><label class="option">
      <input type="checkbox" id="auto" checked=${Boolean(wait.auto)} aria-describedby="auto-help"
        onChange=${(e) => choose(sale.activity_id, e.target.checked)} /> ${t('wait_auto')}</label>
    <p class="muted" id="auto-help">${t('wait_auto_help')}</p></div>`;
}

// turnLeft returns how many ms the buyer has left at the turn.
const turnLeft = ({ turn }) => (turn ? turn + turnLasts - Date.now() : 0);

// heldBy says what holds the whole sale up: paused or stopped, or nothing.
function heldBy(sale, stage) {
  if (sale.stopped || stage === 'stopped') return 'stopped';
  return sale.paused || stage === 'paused' ? 'paused' : undefined;
}

// Destination asks where the goods go, which can wait until it is the buyer's turn. From then on the button stays in
// view, since the time runs.
function Destination({ sale, sku, wait, turn }) {
  const delivery = useDelivery(sku.kind, sku.point_ids, sku.sold_out_points);
  const gone = t(delivery.by === 'pickup' ? 'reason_pickup' : 'reason_region', { region: delivery.region });
  const [added, add] = useState(''); // the address that was just saved
  useEffect(() => {
    if (added && added === delivery.address && delivery.ready) sendTo(sale.activity_id, delivery.choice);
  }, [added, delivery.address, delivery.ready]);
  const types = delivery.by === 'express' && (delivery.adding || delivery.addresses?.length === 0);
  const next = turn ? t(wait.auto ? 'next_auto' : 'wait_where_next') : '';
  return html`<section class="destination">
    ${!turn && html`<h2>${t('wait_where_early')}</h2>`}
    <${Delivery} delivery=${delivery} saves=${turn ? t('wait_where_save') : undefined} next=${next}
      saved=${(made) => add(made.address_id)} />
    ${delivery.gone && html`<p class="notice">${gone}</p>`}
    ${delivery.from === null && html`<p class="notice">${t('problem_region_not_served')}</p>`}
    ${!wait.choice.lines && html`<${Cost} sku=${sku} quantity=${wait.quantity} delivery=${delivery} />`}
    ${
      delivery.ready &&
      !types &&
      html`<div class=${turn ? 'buy-bar' : 'row'}><button type="button" id="send-to" class="go large"
          aria-describedby=${next ? 'send-next' : undefined}
          onClick=${() => sendTo(sale.activity_id, delivery.choice)}>${t(turn ? 'wait_where_use' : 'save')}</button>
        ${next && html`<p class="muted why" id="send-next">${next}</p>`}</div>`
    }</section>`;
}

// leaveHelp says what leaving does, or why the buyer can't leave.
function leaveHelp(stage, wait) {
  if (stage === 'place') return t('wait_leave_placing');
  return t(wait.choice?.confirmation ? 'wait_leave_tried' : 'wait_leave_help'); // an answer may have been lost
}

// what names units of a sku and their price.
const what = (sku, quantity) => html`${sku.title} × ${quantity} · ${money(sku.flash_price * quantity, sku.currency)}`;

// titleOf says in a few words where the buyer stands.
function titleOf(stage, wait, sale, sku) {
  const { ahead, step } = wait;
  const left = msUntil(sale.starts_at);
  if (stage === 'start') return left > 0 ? t('upcoming', { time: duration(left) }) : t('wait_joining');
  if (stage === 'line') return ahead === 0 ? t('wait_soon') : t('wait_ahead', { ahead: number(ahead) });
  if (stage === 'place') return t(`step_${step}`);
  if (stage === 'units') return t('wait_units_title');
  const wave = stage === 'wave' && msUntil(opensAt(sale, sku));
  if (stage === 'wave') return wave > 0 ? t('button_wave', { time: duration(wave) }) : t('wait_wave_title');
  const time = duration(turnLeft(wait));
  return turnLeft(wait) > 0 ? t('wait_turn_left', { time }) : t('wait_turn');
}

// sentenceOf says what the buyer waits for, and for about how long.
function sentenceOf(stage, { admittedAt }, sale) {
  if (stage === 'start') return msUntil(sale.starts_at) > 0 ? t('wait_drawn') : '';
  if (stage === 'line' && admittedAt) {
    const left = Math.max(0, msUntil(admittedAt));
    return t('wait_about', { time: roughly(left), at: clock(admittedAt) });
  }
  return t(`wait_${stage}`);
}

// Next lists what happens, and marks where the buyer is.
function Next({ sale, stage, auto }) {
  const steps = [
    [['start', 'line'], t('next_line')],
    ...(sale.human_check === 'none' ? [] : [[['human'], t('next_human')]]),
    [['permit', 'units', 'wave', 'address', 'confirm', 'place'], auto ? t('next_auto') : t('next_confirm')],
    [[], t('next_pay', { time: roughly(sale.pay_within_s * 1000) })],
  ];
  return html`<h2>${t('wait_next')}</h2><ol class="next">${steps.map(
    ([stages, text]) => html`<li aria-current=${stages.includes(stage) ? 'step' : undefined}>${text}</li>`,
  )}</ol>`;
}
