// The sandbox page: it shows a payment and asks for what shall become of it.
'use strict';

const byID = (id) => document.getElementById(id);
const link = location.search; // carries the token of this payment
const number = location.pathname.split('/').pop();
const buttons = document.querySelectorAll('button[data-action]');
let timer = 0;
let away = false; // the last poll failed
let shown = ''; // the state on the page, as JSON
let leaving = false; // Pay or Fail was chosen: the buyer returns to the shop once its outcome is known
let latest = 0; // answers that come late don't undo newer ones

const tone = {
  pending: 'wait',
  paid: 'good',
  refunding: 'wait',
  refunded: 'bad',
  closed: '',
  unpaid: 'wait',
  cancelled: 'bad',
  failed: 'bad',
  waiting: 'wait',
  acknowledged: 'good',
  given_up: 'bad',
  stopped: 'bad',
  unheard: '',
};

function money(amount, currency) {
  try {
    const format = new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    const digits = format.resolvedOptions().maximumFractionDigits;
    return format.format(amount / 10 ** digits);
  } catch {
    return amount + ' ' + currency;
  }
}

function badge(text) {
  const span = document.createElement('span');
  span.className = ('badge ' + (tone[text] ?? '')).trim();
  span.textContent = text.replaceAll('_', ' ');
  return span;
}

function line(text, className) {
  const span = document.createElement('span');
  span.textContent = text;
  span.className = className ?? '';
  return span;
}

function answer(notice) {
  if (notice.state === 'unheard') return 'never sent';
  if (notice.attempts === 0) {
    const seconds = Math.ceil((Date.parse(notice.send_at) - Date.now()) / 1000);
    return notice.state === 'waiting' && seconds > 0 ? 'is sent in ' + seconds + ' s' : 'not sent yet';
  }
  const times = notice.attempts === 1 ? 'first attempt' : 'attempt ' + notice.attempts;
  return (notice.answer ? 'the webhook answered ' + notice.answer : 'no answer') + ', ' + times;
}

function showNotice(notice, currency) {
  const item = document.createElement('li');
  const failed = notice.type === 'payment.failed';
  const refunded = notice.refunded_amount > 0 ? money(notice.refunded_amount, currency) + ' refunded' : '';
  item.append(
    line((failed ? 'Failed: ' : 'Paid: ') + money(notice.amount, currency)),
    badge(notice.state),
    line(answer(notice), 'muted'),
    line(refunded, 'muted'),
  );
  return item;
}

function show(state) {
  const text = JSON.stringify(state);
  if (text === shown && !state.notifications.some((n) => n.state === 'waiting')) return; // nothing to announce again
  shown = text;
  if (state.return_url) {
    byID('return-link').href = state.return_url;
    byID('return').hidden = false;
    if (leaving && state.notifications.at(-1)?.state === 'acknowledged') location.assign(state.return_url);
  }
  document.title = money(state.amount, state.currency) + ' · ' + state.status + ' · Sandbox payment';
  byID('amount').textContent = money(state.amount, state.currency);
  const count = state.orders.length;
  byID('orders').textContent = (count === 1 ? 'for 1 order' : 'for ' + count + ' orders') + ' in ' + state.currency;
  byID('status').replaceWith(Object.assign(badge(state.status), { id: 'status' }));
  byID('status').setAttribute('role', 'status');
  byID('number').textContent = state.pay_number;
  byID('order-states').replaceChildren(...state.orders.map((o) => badge(o.status)));
  byID('refunded').textContent = money(state.refunded_amount, state.currency);
  byID('none').hidden = state.notifications.length > 0;
  byID('notices').replaceChildren(...[...state.notifications].reverse().map((n) => showNotice(n, state.currency)));
  for (const button of buttons) {
    button.disabled = state.closed && button.dataset.action !== 'pay-late';
  }
  byID('pay').textContent = ['pending', 'closed'].includes(state.status) ? 'Pay' : 'Pay again';
}

function complain(text) {
  byID('problem').textContent = text;
  byID('problem').hidden = text === '';
}

async function ask(path, options) {
  const turn = ++latest;
  const response = await fetch(path + link, { cache: 'no-store', ...options });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail || body.title || 'The server answered ' + response.status + '.');
  if (turn === latest) show(body);
}

async function poll() {
  clearTimeout(timer);
  try {
    if (!document.hidden) await ask('../state/' + number);
    if (away) complain('');
    away = false;
  } catch (error) {
    complain(error.message);
    away = true;
  }
  timer = setTimeout(poll, 1000);
}

async function act(action) {
  complain('');
  for (const button of buttons) button.disabled = true;
  shown = ''; // the next state enables them
  leaving = action === 'pay' || action === 'fail';
  const after = Math.min(3600, Math.max(0, Math.trunc(Number(byID('after').value)) || 0));
  const body = action === 'pay-late' ? { after_s: after } : {};
  try {
    await ask('../pay/' + number + '/' + action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch (error) {
    complain(error.message);
    for (const button of buttons) button.disabled = false;
  }
  poll();
}

for (const button of buttons) button.addEventListener('click', () => act(button.dataset.action));
document.addEventListener('visibilitychange', poll);
poll();
