// Changes of the buyer's orders and payments: one stream for all views, which stays open from one view to the next.
import { ownPath } from '../shared/settings.js';
import { call } from '../shared/server.js';

const again = 3000; // ms after which a stream that ended, or was refused, is opened again
const lingers = 1000; // ms that the stream stays open without a view

const views = new Set();
let source;
let timer; // until the stream is opened again
let closing; // until it is closed
let running = false;
let turn = 0; // of opening: what a closed one still waits for is dropped
let after = '';

const tell = () => {
  for (const changed of views) changed();
};

async function open() {
  const mine = ++turn;
  try {
    const { ticket } = await call('POST', '/me/events/ticket');
    if (mine !== turn) return;
    const query = `ticket=${encodeURIComponent(ticket)}${after && `&after=${after}`}`;
    source = new EventSource(`${ownPath('/api/v1/me/events')}?${query}`);
    const heard = (event) => {
      after = event.lastEventId || after;
      tell();
    };
    for (const name of [
      'start',
      'order.placed',
      'order.paid',
      'order.cancelled',
      'order.refunded',
      'order.failed',
      'order.vouchers_given',
      'order.address_changed',
      'order.pay_extended',
      'order.sku_changed',
      'order.packed',
      'order.shipped',
      'order.delivered',
      'payment.flagged',
      'waitlist.offered',
    ]) {
      source.addEventListener(name, heard);
    }
    source.onerror = () => {
      source.close();
      later();
    };
  } catch (error) {
    if (mine === turn) later(error.problem?.refresh_after_ms);
  }
}

// later asks without the stream, and opens it again: it may have been refused because too many were open.
function later(ms = again) {
  if (running)
    timer = setTimeout(() => {
      tell();
      open();
    }, ms);
}

function close() {
  running = false;
  turn++;
  clearTimeout(timer);
  source?.close();
}

// follow calls back after each change of the buyer's orders and payments, and returns a function that ends that. Where
// events fail it calls back every few seconds.
export function follow(changed) {
  views.add(changed);
  clearTimeout(closing);
  if (!running) {
    running = true;
    open();
  }
  return () => {
    views.delete(changed);
    if (views.size === 0) closing = setTimeout(close, lingers);
  };
}
