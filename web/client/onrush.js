// Onrush in a browser, or in Node 18 and later: buys in a flash sale through all of its gates.
//
//   import { Onrush } from '/assets/onrush.js';
//
//   const shop = new Onrush({ token: () => session.token });
//   const order = await shop.buy({ activity, sku: 'lamp', quantity: 1, addressId, onStep: show });
//
// onrush.d.ts has the types, docs/errors.md the codes of OnrushError.

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

const transient = new Set(['rate_limited', 'overloaded', 'unavailable', 'unreachable', 'internal', 'request_timeout']);
const mostTries = 8; // of one request
const longestWait = 10_000; // ms, of one retry
const patience = 10 * 60_000; // ms, for the gates unless the caller has another one, and for the task

export class Onrush {
  #base;
  #prefix;
  #token;
  #fetch;
  #solve;
  #random;

  // baseURL is the address of the server, and prefix is /admin/api/v1 for operators. token is a text or a function that
  // returns one, or a promise of one. solve answers the human check; by default a proof of work is computed, by
  // /assets/human.js where the page has it.
  constructor({
    baseURL = '',
    prefix = '/api/v1',
    token,
    fetch = globalThis.fetch,
    solve = solveWork,
    random = Math.random,
  } = {}) {
    this.#base = baseURL.replace(/\/$/, '');
    this.#prefix = prefix;
    this.#token = token;
    this.#fetch = fetch.bind(globalThis);
    this.#solve = solve;
    this.#random = random;
  }

  // call sends one request below the prefix and returns the body of the answer. It does not retry.
  // version is that of what it changes, as an answer showed it: if it was changed since, the code is stale_version.
  // With create there must be no such thing yet: if there is one, the code is stale_version, too.
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
      answer = await this.#fetch(`${this.#base}${this.#prefix}${path}`, {
        method,
        headers,
        signal,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      data = answer.status === 204 ? undefined : await answer.json();
    } catch (cause) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      // An answer that is not JSON comes from something in between.
      const detail = answer ? `The server answered ${answer.status}.` : 'The server can not be reached.';
      throw new OnrushError({ code: 'unreachable', status: answer?.status ?? 0, detail }, { cause });
    }
    if (!answer.ok) {
      const problem = { code: 'unreachable', status: answer.status, ...data };
      const seconds = Number(answer.headers.get('Retry-After'));
      problem.refresh_after_ms ??= seconds > 0 ? seconds * 1000 : undefined;
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
  // The order costs what was confirmed, by confirm or confirmation; if that holds no longer, confirm is called again.
  async buy({
    activity,
    sku,
    quantity = 1,
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
    key = newKey(),
    signal,
    onStep = () => {},
    confirm,
    patienceMs,
  }) {
    const wanted = { activity, sku };
    const gates = { signal, onStep, patienceMs };
    const body = {
      quantity,
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
        if (confirm && !body.confirmation) {
          onStep({ step: 'confirm' });
          const { delivery: by, address_id, pickup_point_id } = body;
          const quote = await this.retried('POST', `/seckill/${encodeURIComponent(path)}/confirm`, {
            body: { quantity, delivery: by, address_id, pickup_point_id },
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

  // path returns an order path. It waits for the start of the sale, in its line, for permits, for the end of a pause
  // and for units that may come back, for at most patienceMs, by default ten minutes.
  async path({ activity, sku }, { signal, onStep = () => {}, patienceMs = patience } = {}) {
    const body = { activity_id: activity, sku_id: sku };
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
          case 'human_check_failed': {
            onStep({ step: 'human_check' });
            const query = `?activity_id=${encodeURIComponent(activity)}`;
            const challenge = await this.retried('GET', `/seckill/challenge${query}`, { signal });
            body.human_check = await this.#solve(challenge, { signal });
            break;
          }
          case 'not_started':
            body.place ??= await this.#join(activity, signal); // early, as those who come before the start are
            onStep({
              step: 'wait',
              code: error.code,
              refreshAfterMs: error.problem.refresh_after_ms,
              startsAt: error.problem.starts_at,
            });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal);
            break;
          case 'no_permit':
          case 'sale_paused':
          case 'sales_stopped':
          case 'sold_out_unpaid_pending':
            onStep({ step: 'wait', code: error.code, refreshAfterMs: error.problem.refresh_after_ms });
            await this.#wait(error.problem.refresh_after_ms ?? 1000, signal);
            break;
          default:
            throw error;
        }
      }
    }
  }

  // pay begins a payment of orders; next of the answer says how the buyer pays.
  pay({ orders, channel, key = newKey(), signal, ...more }) {
    return this.retried('POST', '/payments', { body: { order_numbers: orders, channel, ...more }, key, signal });
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
  #wait(ms, signal) {
    const spread = Math.min(ms ?? 0, longestWait) * (1 + this.#random() / 4);
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

// newKey returns an Idempotency-Key. Pages of plain http, other than those of localhost, have no randomUUID.
export function newKey() {
  return hex(globalThis.crypto.getRandomValues(new Uint8Array(16)));
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
  const encoder = new TextEncoder();
  for (let number = 0; number <= maxnumber; number++) {
    if (signal?.aborted) {
      throw signal.reason;
    }
    const digest = await globalThis.crypto.subtle.digest('SHA-256', encoder.encode(salt + number));
    if (hex(digest) === hash) {
      return btoa(JSON.stringify({ algorithm, challenge: hash, number, salt, signature }));
    }
  }
  throw new OnrushError({ code: 'human_check_failed', status: 403, detail: 'The challenge has no answer.' });
}

function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
