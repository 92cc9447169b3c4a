// The server: its client, who is signed in, its clock, and what was asked of it.
import { Onrush, OnrushError } from '../../client/onrush.js';
import { useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { ownName, ownPath, role, settings } from './settings.js';

const mostExchanges = 100; // that the drawer keeps
const patience = 20_000; // ms that a read may take: a connection that died may never answer
const listeners = new Set();

const names = {
  user: ownName(role === 'admin' ? 'operator' : 'buyer'),
  token: ownName(role === 'admin' ? 'operator_token' : 'token'),
};

// The beginnings of the names of what the browser keeps of a reader.
const ofReader = role === 'admin' ? ['typed:', 'onrush.sale.'] : ['typed:', 'basket', 'purchase:', 'wait:'];

export const state = {
  user: localStorage.getItem(names.user) ?? '',
  token: sessionStorage.getItem(names.token) ?? '',
  online: true,
  refused: false, // a request needs a sign-in
  ended: false, // since the token that it had is not valid
  exchanges: [],
};

// Where the program around this one knows its readers, nobody here knows whether the reader is the last one.
if (settings.host_login) {
  for (const key of Object.keys(sessionStorage)) {
    if (['typed:', 'wait:'].some((part) => key.startsWith(ownName(part)))) sessionStorage.removeItem(key);
  }
}

function changed() {
  for (const listener of listeners) listener();
}

// useServer makes a component follow the state.
export function useServer() {
  const [, follow] = useState(0);
  useEffect(() => {
    const listener = () => follow((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return state;
}

let offset = 0; // ms by which the server's clock is ahead
let exact = false; // as an answer has said to the ms
// now returns the server's time in ms.
export function now() {
  return Date.now() + offset;
}

// know takes the server's time from an answer that has it.
export function know(serverTime) {
  if (!serverTime) return;
  offset = Date.parse(serverTime) - Date.now();
  exact = true;
}

// hear takes the time from the header that each answer has, in whole seconds.
function hear(date) {
  if (date && !exact) offset = Date.parse(date) + 500 - Date.now();
}

// watched is fetch, which notes each request with its answer. The token is not noted. A read whose token is not valid
// any more waits until the reader signs in again; a change fails, and is for the reader to repeat. by is what
// asks in the place of fetch.
export async function watched(url, options = {}) {
  const began = performance.now();
  const exchange = {
    method: options.method ?? 'GET',
    path: url.replace(location.origin, ''),
    body: options.body instanceof Blob ? options.body.type : options.body,
    key: options.headers?.['Idempotency-Key'],
  };
  try {
    const answer = await (options.by ?? fetch)(url, bounded(options));
    exchange.status = answer.status;
    hear(answer.headers.get('Date'));
    if (answer.headers.get('Content-Type')?.includes('json')) {
      // not files, which may be long
      answer
        .clone()
        .text()
        .then(
          (text) => {
            exchange.answer = text;
            changed();
          },
          () => {},
        );
    }
    state.online = true;
    if (answer.status !== 401 || (options.again && !state.token)) return answer;
    signedOut();
    if (window.onrushToken || (state.refused ? exchange.method !== 'GET' : options.again)) return answer;
    if (state.refused) await signsIn();
    const headers = { ...options.headers, Authorization: `Bearer ${await token()}` };
    return watched(url, { ...options, headers, again: true });
  } catch (error) {
    if (options.signal?.aborted) exchange.status = 'aborted';
    else state.online = false;
    throw error;
  } finally {
    exchange.ms = Math.round(performance.now() - began);
    state.exchanges = [exchange, ...state.exchanges].slice(0, mostExchanges);
    changed();
  }
}

// bounded gives a read up after a while, unless it is long. How long a change takes is left to the server.
function bounded(options) {
  if (options.long || (options.method && options.method !== 'GET')) return options;
  const ends = AbortSignal.timeout(patience);
  return { ...options, signal: options.signal ? AbortSignal.any([options.signal, ends]) : ends };
}

// signsIn waits until the reader has signed in again, or has gone to the page for it.
function signsIn() {
  return new Promise((resolve) => {
    const listener = () => {
      if (state.refused) return;
      listeners.delete(listener);
      resolve();
    };
    listeners.add(listener);
  });
}

// signedOut forgets a token that is not valid any more. On a program for development another token is made.
function signedOut() {
  state.ended ||= Boolean(state.token);
  state.token = '';
  state.refused = !window.onrushToken && !settings.dev_tokens;
  sessionStorage.removeItem(names.token);
}

export function clearExchanges() {
  state.exchanges = [];
  changed();
}

// token returns the reader's token: the platform's, a token for development, or a pasted one; none where the program
// around this one knows its readers.
async function token() {
  if (window.onrushToken) return window.onrushToken();
  if (!state.token && settings.dev_tokens) {
    signingIn ??= signInAs(state.user || newUser()).finally(() => (signingIn = undefined));
    await signingIn;
  }
  return state.token;
}

let signingIn; // which the first calls of a page share

// subject returns whom the reader's token names, or '' if that can't be read.
export const subject = () => token().then(subjectOf, () => '');

function subjectOf(text) {
  try {
    const [, claims] = text.split('.');
    return String(JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub ?? '');
  } catch {
    return '';
  }
}

function newUser() {
  return role === 'admin' ? 'operator' : `buyer-${Math.floor(Math.random() * 9000 + 1000)}`;
}

// signInAs signs a user in on a program for development.
export async function signInAs(user) {
  const answer = await fetch(ownPath('/dev/token'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id: user, role }),
  });
  if (!answer.ok) throw new Error(`/dev/token answered ${answer.status}`);
  signIn((await answer.json()).token, user);
}

// signIn takes a token; "" signs out, or declines to sign in again. What the browser keeps of a reader is not for the
// next one, but a visitor who signs in keeps the basket.
export function signIn(text, user = subjectOf(text)) {
  const isOther = Boolean(text && state.user && user !== state.user);
  if (!text) state.exchanges = [];
  if (text || state.token) {
    if (!text || (state.user && user !== state.user)) forgetReader();
    state.user = user;
    localStorage.setItem(names.user, user);
  }
  state.token = text;
  state.refused = false;
  state.ended = false;
  sessionStorage.setItem(names.token, text);
  changed();
  if (isOther) location.reload(); // the page and its streams still belong to the last reader
}

// isKey tells an operator's key from a token.
export const isKey = (text) => role === 'admin' && text.startsWith('onrush_');

// signInWithKey takes a key, which doesn't say whose it is: the server does.
export async function signInWithKey(key) {
  const answer = await fetch(`${prefix}/me`, bounded({ headers: { Authorization: `Bearer ${key}` } }));
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new OnrushError({ code: 'unavailable', ...said });
  signIn(key, said.name);
}

// forgetReader forgets what the browser keeps of a reader, and tells this tab, as the browser tells the others.
function forgetReader() {
  for (const storage of [sessionStorage, localStorage]) {
    for (const key of Object.keys(storage).filter((name) => ofReader.some((part) => name.startsWith(ownName(part))))) {
      storage.removeItem(key);
      dispatchEvent(new StorageEvent('storage', { key, newValue: null }));
    }
  }
}

// ownLogin is whether a cookie that no script can read may name the reader: that of the program around this one, or of
// an operator's session.
const ownLogin = settings.host_login || (role === 'admin' && Boolean(settings.sign_in));

export const signedIn = () =>
  Boolean(window.onrushToken || state.token || settings.dev_tokens || (ownLogin && !state.refused));

// bySession is whether the session of an operator names the reader, if anything does.
export const bySession = () => role === 'admin' && Boolean(settings.sign_in) && !state.token && !window.onrushToken;

// loginPath is where an operator signs in, and from where they come back to the view that is shown.
export const loginPath = () => ownPath(`/admin/login?to=${encodeURIComponent(location.hash.slice(1) || '/')}`);

// sessionOf notes whose session it is. What the browser keeps of another operator is forgotten.
export function sessionOf(name) {
  if (state.user && state.user !== name) forgetReader();
  state.user = name;
  localStorage.setItem(names.user, name);
}

// signOut signs the reader out, and ends their session on all instances.
export async function signOut() {
  if (!bySession()) {
    signIn('');
    return;
  }
  await watched(ownPath('/admin/logout'), { method: 'POST' });
  forgetReader();
  location.reload();
}

const prefix = ownPath(role === 'admin' ? '/admin/api/v1' : '/api/v1');
export const server = new Onrush({ token, fetch: watched, prefix });

/**
 * call asks once, and again where that is harmless and the server or the connection failed.
 *
 * @param {string} method
 * @param {string} path
 * @param {import('../../client/onrush.js').CallOptions} [options]
 * @returns {Promise<any>}
 */
export function call(method, path, options = {}) {
  return method === 'GET' ? server.retried(method, path, options) : server.call(method, path, options);
}

// send sends a request whose body, or answer, is a file.
async function send(path, options) {
  const known = await token();
  const headers = { ...options.headers, ...(known && { Authorization: `Bearer ${known}` }) };
  const answer = await watched(`${prefix}${path}`, { ...options, headers });
  if (!answer.ok) throw new OnrushError({ code: 'unavailable', ...(await answer.json().catch(() => ({}))) });
  return answer;
}

// download returns a file as a Blob.
export const download = async (path) => (await send(path, { long: true })).blob();

// upload sends a file, a Blob, and returns the answer. options are those of watched.
export const upload = async (path, file, options) =>
  (await send(path, { ...options, method: 'POST', headers: { 'Content-Type': file.type }, body: file })).json();

// useLoad loads something when a component appears, and again by its reload.
export function useLoad(load, inputs = []) {
  const [loaded, set] = useState({});
  const [turn, again] = useState(0);
  useEffect(() => {
    let current = true;
    load().then(
      (value) => current && set({ value }),
      (error) => current && set((old) => ({ ...old, error })),
    );
    return () => {
      current = false;
    };
  }, [...inputs, turn]);
  return { ...loaded, reload: () => again((n) => n + 1) };
}

// useEvery loads something when a component appears, and again ms after each answer, or at once by its reload. While
// the page is hidden it waits, unless it must go on.
export function useEvery(ms, load, goOn = false) {
  const [loaded, set] = useState({});
  const latest = useRef(load);
  const run = useRef(() => {});
  const always = useRef(goOn);
  latest.current = load;
  always.current = goOn;
  useEffect(() => {
    let timer;
    let ended = false;
    let turn = 0;
    run.current = async () => {
      clearTimeout(timer);
      const mine = ++turn;
      const result = await latest.current().then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      if (ended || mine !== turn) return;
      set((old) => ({ ...(result.error && old), ...result }));
      timer = setTimeout(next, ms);
    };
    const next = () => {
      if (document.hidden && !always.current) timer = setTimeout(next, ms);
      else run.current();
    };
    run.current();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [ms]);
  return { ...loaded, reload: () => run.current() };
}

// useTick draws a component again each second, for times.
export function useTick(ms = 1000) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}
