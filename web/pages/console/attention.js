// What needs a person, gathered from all lists. Only what was read is calm: what could not be read is said.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { ownPath } from '../shared/settings.js';
import { duration, number, t } from '../shared/texts.js';
import { call, watched } from '../shared/server.js';
import { msSince, msUntil } from '../shared/sale_figures.js';
import { may } from './me.js';
import { moment } from './moment.js';
import { age } from './parts.js';
import { infoOf, linesOf, salesUnknown, toSale } from './attention_lines.js';
import { settled, underWay } from './flag_text.js';
import { gatesSign } from './readiness.js';
import { saleText, startsSoon, stateOf } from './sales.js';
import { SoundSwitch } from './sound.js';
import { settingsNow } from './standing.js';

const shown = 5; // of each kind
const wrongMoney = ['wrong_amount', 'wrong_currency'];

// readStores returns the readiness of the instance that answers. It has the same form when it is not ready.
async function readStores() {
  const answer = await watched(ownPath('/readyz'));
  const ready = await answer.json();
  if (!ready.unavailable) throw new Error(`/readyz answered ${answer.status}`);
  return ready;
}

// withRefunds gives each flagged payment whose money was wrong the refunds of that money.
export async function withRefunds(payments) {
  const wrong = new Set(payments.map(({ flag }) => flag).filter((flag) => wrongMoney.includes(flag)));
  const refunds = await Promise.all([...wrong].map((reason) => call('GET', `/refunds?reason=${reason}&page_size=100`)));
  const of = (payment) => (refund) => refund.pay_number === payment.pay_number && refund.reason === payment.flag;
  const back = refunds.flatMap(({ items }) => items);
  return payments.map((payment) => ({ ...payment, refunds: back.filter(of(payment)) }));
}

// readFlagged reads the flagged payments. Of those in calm, money is on its way back, or nothing is left to do: refunds
// that wait for too long are listed as such.
async function readFlagged() {
  const list = await call('GET', '/payments?flagged=true&page_size=100');
  const items = await withRefunds(list.items);
  const calm = items.filter((payment) => settled(payment) || underWay(payment));
  const open = items.filter((payment) => !calm.includes(payment));
  return { total: list.total - calm.length, items: open.slice(0, shown), calm: calm.slice(0, shown) };
}

// sources are what is read, each [route, load]. Of those whose route the reader may not call, nothing is read or said.
const sources = {
  stores: ['/instances', readStores],
  instances: ['/instances', () => call('GET', '/instances')],
  flagged: ['/payments', readFlagged],
  refunds: ['/refunds', () => call('GET', `/refunds?needs_person=true&page_size=${shown}`)],
  dead: ['/queue/dead', () => call('GET', `/queue/dead?page_size=${shown}`)],
  vouchers: ['/vouchers', () => call('GET', '/vouchers?waiting=true&page_size=100')],
  queue: ['/queue', () => call('GET', '/queue')],
  endpoints: ['/endpoints', () => call('GET', '/endpoints?page_size=100')],
  jobs: ['/jobs', () => call('GET', '/jobs')],
  settings: ['/settings', settingsNow],
};

const readable = () => Object.keys(sources).filter((name) => may(`GET ${sources[name][0]}`));

// readAttention reads what needs a person. A list that can't be read is named in missing, with its error in errors.
export async function readAttention() {
  const names = readable();
  const results = await Promise.allSettled(names.map((name) => sources[name][1]()));
  const read = { missing: [], errors: {}, at: Date.now() };
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') read[names[i]] = result.value;
    else {
      read.missing.push(names[i]);
      read.errors[names[i]] = result.reason;
    }
  });
  return read;
}

// more says how many lines of a kind are not shown.
function more(read) {
  const dead = (read.queue?.items ?? []).reduce((sum, lane) => sum + lane.dead, 0);
  return [
    ['#/money/payments?flagged=true', read.flagged?.total],
    ['#/money/refunds?needs_person=true', read.refunds?.total],
    ['#/queue', dead],
  ].filter(([, total]) => total > shown);
}

// titleOf is the heading of the card: what the reader has to do, in a few words.
function titleOf(kind, lines, later) {
  if (kind === 'needed') return t(lines === 1 ? 'attention_one' : 'attention_many', { count: number(lines) });
  if (kind === 'later') return t('attention_none_now', { count: number(later) });
  if (kind === 'unknown') return t('attention_unknown');
  return html`<span aria-hidden="true">✓</span> ${t('attention_none')}`;
}

// Age says how old it is what was read.
const Age = ({ at }) =>
  html`<span class="muted age" title=${moment(at)}>${t('checked_ago', { age: age(Date.now() - at) })}</span>`;

function kindOf(lines, unknown, later) {
  if (lines.length > 0) return 'needed';
  if (unknown.length > 0) return 'unknown';
  return later.length > 0 ? 'later' : 'calm';
}

// laterLines are of the sales that are not ready and start so late that nobody is needed yet.
const laterLines = (sales) =>
  (sales?.followed ?? [])
    .filter(({ sale }) => stateOf(sale) === 'upcoming' && !startsSoon(sale))
    .filter(({ sale, checks = [] }) => [gatesSign(sale), ...checks].some(({ level }) => level === 'failure'))
    .map(({ sale }) => ({
      key: `later-${sale.activity_id}`,
      text: t('attention_later', { sale: saleText(sale), time: duration(msUntil(sale.starts_at)) }),
      action: toSale(sale),
    }));

let needed; // the lines that were counted last; undefined before that
const listeners = new Set();

// count keeps the lines that need a person, for all that follow it. Without lines nobody knows them.
export function count(lines) {
  needed = lines;
  for (const listener of listeners) listener(needed);
}

// useNeeded makes a component follow the lines that need a person.
export function useNeeded() {
  const [lines, follow] = useState(needed);
  useEffect(() => {
    listeners.add(follow);
    return () => listeners.delete(follow);
  }, []);
  return lines;
}

// Attention shows what needs a person. read is undefined, or stale, while it can't be read; so are sales.
/** @param {any} props */
export function Attention({ read = { missing: [] }, stale, sales, again }) {
  const list = linesOf(read, sales?.followed ?? [], again);
  const info = infoOf(read, again);
  useEffect(() => count(list), [list.map(({ key }) => key).join()]);
  const unknown = [
    ...(stale ? [t('attention_stale')] : []),
    ...read.missing.map((name) => t('attention_missing', { name: t(`source_${name}`) })),
    ...salesUnknown(sales),
  ];
  const later = laterLines(sales);
  const kind = kindOf(list, unknown, later);
  return html`<section class="attention ${kind}">
    <div class="row heading"><h2>${titleOf(kind, list.length, later.length)}</h2>
      ${read.at && html`<${Age} at=${read.at} />`}<${SoundSwitch} /></div>
    <p class="hidden" role="status">${list.length > 0 && t('attention_count', { count: number(list.length) })}</p>
    ${unknown.map((text) => html`<p class="bad">${text}</p>`)}
    <${Lines} lines=${[...list, ...later]} />
    ${read.at && html`<${Checked} read=${read} sales=${sales} />`}
    ${more(read).map(
      ([href, total]) => html`<p>
      <a href=${href}>${t('attention_more', { total: number(total) })}</a></p>`,
    )}
    ${
      info.length > 0 &&
      html`<section class="info muted"><h3>${t('attention_info')}</h3><${Lines} lines=${info} /></section>`
    }
  </section>`;
}

// Lines are what is said, how old it is, and what can be done.
export const Lines = ({ lines }) =>
  html`<ul>${lines.map(
    ({ key, text, at, action }) => html`<li key=${key}><span class="text">${text}</span>
    <span class="age muted">${at ? t('ago', { age: age(msSince(at)) }) : ''}</span>
    <span class="row actions">${action}</span></li>`,
  )}</ul>`;

// Checked says what was read.
function Checked({ read, sales }) {
  const names = [...readable(), 'sales'];
  const wasRead = (name) => (name === 'sales' ? Boolean(sales) : !read.missing.includes(name));
  return html`<details class="checked"><summary class="muted">${t('checked_what')}</summary>
    <ul>${names.map((name) => html`<${Was} name=${name} read=${wasRead(name)} />`)}</ul></details>`;
}

function Was({ name, read }) {
  return html`<li class=${read ? 'good' : 'bad'}><span aria-hidden="true">${read ? '✓' : '×'}</span>${' '}
    ${t(`checked_${name}`)}</li>`;
}
