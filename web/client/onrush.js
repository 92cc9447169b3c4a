// Onrush in a browser, in Node 18 and later, or elsewhere over a transport of one's own: buys in a flash sale through all
// of its gates.
//
//   import { Onrush } from '/assets/onrush.js';
//
//   const shop = new Onrush({ token: () => session.token });
//   const order = await shop.buy({ activity, sku: 'lamp', quantity: 1, addressId, onStep: show });
//
// onrush.d.ts has the types, docs/shop/errors.md the codes of OnrushError.

// OnrushError is a refusal, with the problem that the server sent. Its code is unreachable if no answer came.
export class OnrushError extends Error {
  constructor(problem, options) {
    super(problem.detail || problem.title || problem.code, options);
    this.name = 'OnrushError';
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
  }
}

// Of answers that are no problem of the server, such as a page of a proxy; those with another status are unreachable.
const codes = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'too_large',
  429: 'rate_limited',
  431: 'headers_too_large',
};
const transient = new Set(['rate_limited', 'overloaded', 'unavailable', 'unreachable', 'internal', 'request_timeout']);
const mostTries = 8; // of one request
const longestWait = 10_000; // ms, of one retry
const longestHope = 60_000; // ms between two looks for units that may come back: a buyer may cancel an order at any time
const patience = 10 * 60_000; // ms, for the task, and for the gates unless the caller sets another patience

export class Onrush {
  #base;
  #prefix;
  #token;
  #transport;
  #solve;
  #random;

  // baseURL is the address of the server, and prefix is /admin/api/v1 for operators. token is a text or a function that
  // returns one, or a promise of one. solve answers the human check; by default a proof of work is computed, by
  // /assets/human.js where the page has it. transport sends a request where there is no fetch, such as in a mini program:
  // it takes {method, url, headers, body, signal}, with a text as body, and returns a promise of {status, headers, body},
  // which is rejected if no answer came.
  constructor({
    baseURL = '',
    prefix = '/api/v1',
    token,
    fetch = globalThis.fetch,
    transport = byFetch(fetch),
    solve = solveWork,
    random = Math.random,
  } = {}) {
    this.#base = baseURL.replace(/\/$/, '');
    this.#prefix = prefix;
    this.#token = token;
    this.#transport = transport;
    this.#solve = solve;
    this.#random = random;
  }

  // call sends one request below the prefix and returns the body of the answer. It does not retry. version is the
  // version of the thing that the request changes, from an earlier answer: if the thing was changed since, the code is
  // stale_version. With create there must be no such thing yet: if there is one, the code is stale_version, too.
  async call(method, path, { body, key, version, create, signal } = {}) {
    const headers = { Accept: 'application/json' };
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    if (token) {
      headers.Authorization = `Bearer ${token}`;
    }
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
    }
    if (key) {
      headers['Idempotency-Key'] = key;
    }
    if (version) {
      headers['If-Match'] = `"${version}"`;
    } else if (create) {
      headers['If-None-Match'] = '*';
    }
    let answer;
    let data;
    try {
      answer = await this.#transport({
        method,
        url: `${this.#base}${this.#prefix}${path}`,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
      data = answer.status === 204 ? undefined : JSON.parse(answer.body);
    } catch (cause) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      if (!answer || isOK(answer)) {
        const detail = answer ? `The server answered ${answer.status}.` : 'The server can not be reached.';
        throw new OnrushError({ code: 'unreachable', status: answer?.status ?? 0, detail }, { cause });
      }
    }
    if (!isOK(answer)) {
      const { status } = answer;
      const problem =
        typeof data?.code === 'string'
          ? { status, ...data }
          : { code: codes[status] ?? 'unreachable', status, detail: `The server answered ${status}.` };
      problem.refresh_after_ms ??= retryAfter(header(answer, 'retry-after'));
      throw new OnrushError(problem);
    }
    return data;
  }

  // retried is call, again after failures that pass. Requests that place or pay must have a key.
  async retried(method, path, options = {}) {
    for (let tries = 1; ; tries++) {
      try {
        return await this.call(method, path, options);
      } catch (error) {
        if (!(error instanceof OnrushError) || !transient.has(error.code) || tries === mostTries) {
          throw error;
        }
        await this.#wait(error.problem.refresh_after_ms ?? 250 * 2 ** tries, options.signal);
      }
    }
  }

  // buy takes a path through the gates of the sale, submits the order, and returns it when it is stored. Repeated with
  // the same key it never orders twice. onStep is called with what it does, and with what it waits for. If confirm is a
  // function, it is called with the amounts before the order is placed; unless it returns true, buy returns undefined.
  // Where the buyer chooses the destination only at the turn, destination is called before, and returns it.
  // The order costs what was confirmed, by confirm or confirmation; if that holds no longer, confirm is called again.
  async buy({
    activity,
    sku,
    quantity = 1,
    lines,
    delivery,
    addressId,
    pickupPointId,
    confirmation,
    remark,
    fields,
    clientReference,
    roomId,
    shareCode,
    shareSource,
    inviterId,
    notifyToken,
    code,
    key = newKey(),
    signal,
    onStep = () => {},
    destination,
    confirm,
    patienceMs,
  }) {
    const wanted = { activity, sku, lines, code };
    const gates = { signal, onStep, patienceMs };
    const body = {
      ...(lines?.length ? { lines: linesOf(lines) } : { quantity }),
      delivery,
      address_id: addressId,
      pickup_point_id: pickupPointId,
      confirmation,
      remark,
      fields,
      client_reference: clientReference,
      notify_token: notifyToken,
      room_id: roomId,
      share_code: shareCode,
      share_source: shareSource,
      inviter_id: inviterId,
    };
    let path = await this.path(wanted, gates);
    for (let tries = 1; ; tries++) {
      try {
        if (destination && !body.confirmation) {
          onStep({ step: 'destination' });
          const { delivery: by, addressId: to, pickupPointId: point } = await destination();
          Object.assign(body, { delivery: by, address_id: to, pickup_point_id: point });
        }
        if (confirm && !body.confirmation) {
          onStep({ step: 'confirm' });
          const { delivery: by, address_id, pickup_point_id } = body;
          const quote = await this.retried('POST', `/seckill/${encodeURIComponent(path)}/confirm`, {
            body: { quantity: body.quantity, lines: body.lines, delivery: by, address_id, pickup_point_id },
            signal,
          });
          if (!(await confirm(quote))) {
            return undefined;
          }
          body.confirmation = quote.confirmation;
        }
        onStep({ step: 'submit', confirmation: body.confirmation });
        const task = await this.retried('POST', `/seckill/${encodeURIComponent(path)}/submit`, { body, key, signal });
        return await this.#follow(task, { signal, onStep });
      } catch (error) {
        if (!(error instanceof OnrushError) || tries === mostTries) {
          throw error;
        }
        if (confirm && error.problem.errors?.some(({ field }) => field === 'confirmation')) {
          body.confirmation = undefined; // it has expired, or the goods have changed
          continue;
        }
        if (
          ![
            'path_expired',
            'path_invalid',
            'no_permit',
            'sale_paused',
            'sales_stopped',
            'sold_out_unpaid_pending',
            'sold_out_for_now',
          ].includes(error.code)
        ) {
          throw error;
        }
        onStep({ step: 'path', code: error.code });
        await this.#wait(error.problem.refresh_after_ms ?? 0, signal);
        path = await this.path(wanted, gates);
      }
    }
  }

  // path returns an order path. It waits for the start of the sale, in its line, for permits, for the end of a pause,
  // for the next wave and for units that may come back, for at most patienceMs, by default ten minutes.
  async path({ activity, sku, lines, code }, { signal, onStep = () => {}, patienceMs = patience } = {}) {
    const body = { activity_id: activity, ...(lines?.length ? { lines: linesOf(lines) } : { sku_id: sku }), code };
    const until = Date.now() + patienceMs;
    for (;;) {
      try {
        onStep({ step: 'path' });
        const { path } = await this.retried('POST', '/seckill/path', { body, signal });
        return path;
      } catch (error) {
        if (!(error instanceof OnrushError) || Date.now() > until) {
          throw error;
        }
        switch (error.code) {
          case 'line_required':
          case 'place_invalid':
            body.place = await this.#line(activity, { signal, onStep, until });
            break;
          case 'human_check_required':
          case 'human_check_failed':
            body.human_check = await this.#prove(activity, { signal, onStep });
            break;
          case 'not_started':
            body.place ??= await this.#join(activity, signal); // joins early, like everybody who comes before the start
            onStep({
              step: 'wait',
              code: error.code,
              refreshAfterMs: error.problem.refresh_after_ms,
              startsAt: error.problem.starts_at,
            });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal);
            break;
          case 'sold_out_for_now':
            onStep({
              step: 'wait',
              code: error.code,
              refreshAfterMs: error.problem.refresh_after_ms,
              nextWaveAt: error.problem.next_wave_at,
            });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal);
            break;
          case 'no_permit':
          case 'sale_paused':
          case 'sales_stopped':
            onStep({ step: 'wait', code: error.code, refreshAfterMs: error.problem.refresh_after_ms });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal);
            break;
          case 'sold_out_unpaid_pending':
            onStep({ step: 'wait', code: error.code, refreshAfterMs: error.problem.refresh_after_ms });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal, Math.min(longestHope, until - Date.now()));
            break;
          default:
            throw error;
        }
      }
    }
  }

  // wait lets the buyer wait for units of a sku that is sold out; it takes what buy takes. The entry says the place, and
  // until when units are offered.
  wait({ activity, sku, quantity = 1, delivery, addressId, pickupPointId, signal, onStep }) {
    const body = {
      activity_id: activity,
      sku_id: sku,
      quantity,
      delivery,
      address_id: addressId,
      pickup_point_id: pickupPointId,
    };
    return this.#proved(activity, '/seckill/waitlist', body, { signal, onStep });
  }

  // waits returns the entries of the buyer in waiting lists, of one activity or of all.
  async waits({ activity, signal } = {}) {
    const query = activity ? `?activity_id=${encodeURIComponent(activity)}` : '';
    return (await this.retried('GET', `/seckill/waitlist${query}`, { signal })).items;
  }

  // leave ends an entry; units that are offered to the buyer go to the next.
  leave({ entry, signal }) {
    return this.call('DELETE', `/seckill/waitlist/${encodeURIComponent(entry)}`, { signal });
  }

  // remind lets the shop tell the buyer when a sale starts (kind start), or when units of a sku, or without one of any
  // goods of the sale, are back (kind units). notifyToken is the platform's.
  remind({ activity, sku, kind, notifyToken, signal }) {
    const body = { activity_id: activity, sku_id: sku, kind, notify_token: notifyToken };
    return this.retried('POST', '/seckill/reminders', { body, signal });
  }

  // reminders returns the reminders of the buyer, of one activity or of all.
  async reminders({ activity, signal } = {}) {
    const query = activity ? `?activity_id=${encodeURIComponent(activity)}` : '';
    return (await this.retried('GET', `/seckill/reminders${query}`, { signal })).items;
  }

  // forgetReminder deletes a reminder.
  forgetReminder({ reminder, signal }) {
    return this.call('DELETE', `/seckill/reminders/${encodeURIComponent(reminder)}`, { signal });
  }

  // swap takes another sku of its sale, with the same price, for an order, which keeps its units until it has the others.
  // It returns the order.
  swap({ order, sku, signal }) {
    return this.retried('PATCH', `/orders/${encodeURIComponent(order)}`, { body: { sku_id: sku }, signal });
  }

  // enter lets the buyer take part in the draw of a sku; it takes what buy takes.
  enter({ activity, sku, quantity = 1, delivery, addressId, pickupPointId, signal, onStep }) {
    const body = { sku_id: sku, quantity, delivery, address_id: addressId, pickup_point_id: pickupPointId };
    const path = `/seckill/draws/${encodeURIComponent(activity)}/entries`;
    return this.#proved(activity, path, body, { signal, onStep });
  }

  // entries returns the entries of the buyer in a draw. An entry that is offered can be bought.
  async entries({ activity, signal }) {
    return (await this.retried('GET', `/seckill/draws/${encodeURIComponent(activity)}/entries`, { signal })).items;
  }

  // withdraw ends an entry; units that are offered to the buyer go to the next.
  withdraw({ activity, entry, signal }) {
    const path = `/seckill/draws/${encodeURIComponent(activity)}/entries/${encodeURIComponent(entry)}`;
    return this.call('DELETE', path, { signal });
  }

  // pay begins a payment of orders; next of the answer says how the buyer pays.
  pay({ orders, channel, key = newKey(), signal, ...more }) {
    return this.retried('POST', '/payments', { body: { order_numbers: orders, channel, ...more }, key, signal });
  }

  // prove returns the answer to a new challenge of the human check of a sale.
  async #prove(activity, { signal, onStep }) {
    onStep({ step: 'human_check' });
    const query = `?activity_id=${encodeURIComponent(activity)}`;
    const challenge = await this.retried('GET', `/seckill/challenge${query}`, { signal });
    return this.#solve(challenge, { signal });
  }

  // proved posts a body, with an answer to the human check where the sale asks for one.
  async #proved(activity, path, body, { signal, onStep = () => {} }) {
    for (let tries = 1; ; tries++) {
      try {
        return await this.retried('POST', path, { body, signal });
      } catch (error) {
        if (!['human_check_required', 'human_check_failed'].includes(error.code) || tries === mostTries) {
          throw error;
        }
        body.human_check = await this.#prove(activity, { signal, onStep });
      }
    }
  }

  // join takes a place in the line of a sale, and returns it; undefined if the sale has no line.
  async #join(activity, signal) {
    const { place } = await this.retried('POST', '/seckill/line', { body: { activity_id: activity }, signal });
    return place;
  }

  async #line(activity, { signal, onStep, until }) {
    let place = await this.retried('POST', '/seckill/line', { body: { activity_id: activity }, signal });
    while (place.status === 'waiting') {
      const { ahead, unlikely = false, starts_at: startsAt, admitted_at: admittedAt } = place;
      onStep({ step: 'line', ahead, unlikely, startsAt, admittedAt });
      if (Date.now() > until) {
        throw new OnrushError({ code: 'line_required', status: 409, detail: 'The line is too long.' });
      }
      await this.#wait(place.refresh_after_ms, signal);
      place = await this.retried('GET', `/seckill/line/${encodeURIComponent(place.place)}`, { signal });
    }
    return place.place;
  }

  async #follow(task, { signal, onStep }) {
    const until = Date.now() + patience;
    const route = `/seckill/tasks/${encodeURIComponent(task.task_id)}`;
    while (task.status === 'SUBMITTED') {
      onStep({ step: 'task', orderNumber: task.order_number });
      if (Date.now() > until) {
        return task; // it is placed, and will be stored
      }
      await this.#wait(task.refresh_after_ms, signal);
      task = await this.retried('GET', route, { signal });
    }
    if (task.status === 'FAILED') {
      throw new OnrushError({ code: task.reason || 'failed', status: 409, detail: 'The order failed.', task });
    }
    onStep({ step: 'stored', orderNumber: task.order_number });
    return task;
  }

  // wait waits for a time in ms, and up to a quarter longer, so that a crowd does not come back at once.
  #wait(ms, signal, longest = longestWait) {
    const spread = Math.min(ms ?? 0, longest) * (1 + this.#random() / 4);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, spread);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

// byFetch is the transport of browsers and Node.
function byFetch(fetch) {
  return async ({ url, ...request }) => {
    const answer = await fetch.call(globalThis, url, request);
    const [status, headers] = [answer.status, Object.fromEntries(answer.headers)];
    // An answer that breaks off has its status; what it says is unknown.
    return { status, headers, body: await answer.text().catch(() => '') };
  };
}

const isOK = ({ status }) => status >= 200 && status <= 299;

// header returns a header of an answer by its name in lower case.
const header = ({ headers = {} }, name) => headers[Object.keys(headers).find((other) => other.toLowerCase() === name)];

// linesOf are the lines of an order of several skus, as requests have them.
const linesOf = (lines) => lines.map(({ sku, quantity = 1 }) => ({ sku_id: sku, quantity }));

// newKey returns an Idempotency-Key. Pages of plain http, except on localhost, have no randomUUID, and Node 18 has no
// global crypto: a key from there is unlike others, but no secret.
export function newKey() {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto) {
    globalThis.crypto.getRandomValues(bytes);
  } else {
    bytes.forEach((_, i) => (bytes[i] = Math.random() * 256));
  }
  return hex(bytes);
}

// retryAfter returns the time in ms of a header Retry-After, which has seconds or a date.
function retryAfter(text) {
  const ms = Number(text) * 1000 || Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}

// solveWork computes a proof of work: in a worker if the page has loaded /assets/human.js, or else here.
async function solveWork(challenge, { signal } = {}) {
  if (challenge.human_check === 'none') {
    return undefined;
  }
  if (challenge.human_check !== 'pow') {
    const detail = `The human check ${challenge.human_check} needs a page that shows it, and the option solve.`;
    throw new OnrushError({ code: 'human_check_required', status: 403, detail });
  }
  if (globalThis.onrushHuman) {
    try {
      return await globalThis.onrushHuman.solve(challenge, { signal });
    } catch (cause) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      const detail = `The worker of the human check failed: ${cause.message}`; // often since it could not be loaded
      throw new OnrushError({ code: 'unreachable', status: 0, detail }, { cause });
    }
  }
  const { algorithm, challenge: hash, salt, maxnumber, signature } = challenge;
  for (let number = 0; number <= maxnumber; number++) {
    if (number % 1000 === 0) {
      await new Promise((resolve) => setTimeout(resolve)); // a page goes on
    }
    if (signal?.aborted) {
      throw signal.reason;
    }
    if (sha256(ascii(salt + number)) === hash) {
      return base64(ascii(JSON.stringify({ algorithm, challenge: hash, number, salt, signature })));
    }
  }
  throw new OnrushError({ code: 'human_check_failed', status: 403, detail: 'The challenge has no answer.' });
}

// ascii returns the bytes of a text. A challenge has no other characters; mini programs have no TextEncoder.
const ascii = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// base64 is btoa of bytes, which mini programs don't have.
function base64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const three = (bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2];
    text += [18, 12, 6, 0].map((shift) => digits[(three >> shift) & 63]).join('');
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing ? text.slice(0, -missing) + '='.repeat(missing) : text;
}

// sha256 returns the SHA-256 of bytes in hex. It is written here since crypto.subtle is missing on pages without TLS and
// in Node 18, and slow for many short texts.
function sha256(bytes) {
  const text = new Uint8Array((bytes.length + 72) & ~63);
  text.set(bytes);
  text[bytes.length] = 0x80;
  const view = new DataView(text.buffer);
  view.setUint32(text.length - 4, bytes.length * 8);
  const state = Int32Array.from(start);
  const w = new Int32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let offset = 0; offset < text.length; offset += 64) {
    for (let i = 0; i < 64; i++) {
      const [x, y] = [w[i - 15], w[i - 2]];
      w[i] =
        i < 16
          ? view.getInt32(offset + 4 * i)
          : w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i];
      const u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(t + u) | 0, a, b, c, (d + t) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] += x));
  }
  state.forEach((word, i) => view.setInt32(4 * i, word));
  return hex(text.subarray(0, 32));
}

// The constants of SHA-256 (FIPS 180-4): the fractions of the roots of the first primes.
const primes = [];
for (let n = 2; primes.length < 64; n++) {
  if (primes.every((p) => n % p > 0)) {
    primes.push(n);
  }
}
const fraction = (x) => ((x % 1) * 2 ** 32) | 0;
const rounds = primes.map((p) => fraction(Math.cbrt(p)));
const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
