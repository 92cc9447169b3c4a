// Buys with web/client/onrush.js in Node: in a sale that runs, and in one that begins within a minute and has a waiting
// room, a proof of work and permits; then pays both. The arguments are the client's file and the address of a program
// on embedded stores.
import assert from 'node:assert/strict';

const [file, base] = process.argv.slice(2);
const { Onrush, OnrushError } = await import(file);

const named = (user) => `${user}-${process.pid}`; // each run buys as others

async function shopOf(user) {
  const answer = await fetch(`${base}/dev/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id: named(user), role: 'user' }),
  });
  const { token } = await answer.json();
  return new Onrush({ baseURL: base, token: () => token });
}

const shop = await shopOf('node');
const { items } = await shop.call('GET', '/activities');
const sale = (title) => items.find((item) => item.title.includes(title) && item.state !== 'ended').activity_id;

async function buyAndPay(activity, key) {
  const steps = new Set();
  const onStep = ({ step }) => steps.add(step);
  const stored = await shop.buy({ activity, sku: 'course', key, onStep });
  const again = await shop.buy({ activity, sku: 'course', key });
  assert.equal(again.order_number, stored.order_number, 'the same key orders once');
  const payment = await shop.pay({ orders: [stored.order_number], channel: 'sandbox' });
  const [page, query] = payment.next.redirect_url.split('?');
  await fetch(`${page}/pay?${query}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
  for (;;) {
    const order = await shop.call('GET', `/orders/${stored.order_number}`);
    if (order.status === 'paid') {
      console.log(`onrush.js bought and paid order ${stored.order_number} (${[...steps].join(', ')})`);
      return steps;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const gated = buyAndPay(sale('waiting room'), 'gated');
await buyAndPay(sale('Half-price'), 'plain');
assert((await gated).has('human_check'), 'the human check was asked for');

await assert.rejects(shop.buy({ activity: 'none', sku: 'course' }), (error) => {
  assert(error instanceof OnrushError);
  assert.equal(error.code, 'not_found');
  return true;
});
const gone = new AbortController();
gone.abort(new Error('left'));
await assert.rejects(shop.buy({ activity: sale('Half-price'), sku: 'course', signal: gone.signal }), /left/);
const nowhere = new Onrush({ baseURL: 'http://127.0.0.1:9' });
await assert.rejects(nowhere.call('GET', '/activities'), { code: 'unreachable', status: 0 });
const lossy = await shopOf('lossy');
let lost = 0;
const dropping = new Onrush({
  baseURL: base,
  token: (
    await (
      await fetch(`${base}/dev/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ user_id: named('lossy'), role: 'user' }),
      })
    ).json()
  ).token,
  fetch: async (...request) => {
    // the answer to the first submit is lost
    const answer = await fetch(...request);
    if (String(request[0]).endsWith('/submit') && lost++ === 0) {
      throw new TypeError('connection lost');
    }
    return answer;
  },
});
await dropping.buy({ activity: sale('Half-price'), sku: 'course' });
assert.equal(lost, 2);
assert.equal((await lossy.call('GET', '/orders')).total, 1, 'a lost answer orders once');
console.log('onrush.js orders once when an answer is lost');

// Of a sold-out sale the client waits as long as the answer says, at most a minute, since a buyer may cancel earlier.
for (const [said, most] of [
  [20_000, 20_000],
  [900_000, 60_000],
]) {
  const waits = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (call, ms, ...more) => {
    if (ms < 10_000) return setTimeout(call, ms, ...more); // of the connections of before
    waits.push(ms);
    return setTimeout(call, 0);
  };
  let asked = 0;
  const soldOut = new Onrush({
    random: () => 0,
    fetch: async () =>
      asked++ === 0
        ? Response.json({ code: 'sold_out_unpaid_pending', status: 409, refresh_after_ms: said }, { status: 409 })
        : Response.json({ path: 'p' }),
  });
  assert.equal(await soldOut.path({ activity: 'sale', sku: 'sku' }), 'p');
  globalThis.setTimeout = setTimeout;
  assert.deepEqual(waits, [most]);
}
console.log('onrush.js asks a sold-out sale again when its units may be back');
