// What a view shows of its data, and what it shows instead: empty, loading, failed, forbidden.
import { html } from '../vendor/preact-htm.js';
import { ownPath } from '../shared/settings.js';
import { duration, money, number, t } from '../shared/texts.js';
import { Bar, Loading, Picture, Problem, StockBar } from '../shared/parts.js';
import { Badge, List, Table } from '../console/parts.js';
import { Empty } from '../shop/empty.js';
import { Gallery } from '../shop/gallery.js';
import { Sign } from '../shop/sign.js';

// The states of the shop: the class of each, its text, and how many ms are left.
const shopStates = [
  ['draw', 'draw'],
  ['upcoming', 'upcoming', 5_025_000],
  ['ends', 'running', 5_025_000],
  ['soon', 'running', 540_000],
  ['last', 'running', 42_000],
  ['held', 'badge_paused'],
  ['ended', 'sold_out'],
  ['unpaid', 'line_due'],
  ...['paid', 'failed', 'cancelled', 'refunded'].map((state) => [state, `line_${state}`]),
];

// The states of the console: what is good, planned, waiting, wrong, and past.
const consoleStates = [
  ['running', 'paid', 'ok', 'done', 'delivered', 'active', 'published'],
  ['upcoming', 'unpaid', 'paused', 'pending', 'waiting', 'refunding'],
  ['stopped', 'failed', 'failing', 'switched_off'],
  ['draft', 'ended', 'offline', 'redeemed', 'cancelled', 'refunded'],
];

export function Badges() {
  return html`<h3>${t('design_shop')}</h3>
    <p class="row">${shopStates.map(
      ([state, text, left]) => html`<span class="badge ${state}">${t(text, { time: duration(left) })}</span>`,
    )}</p>
    <h3>${t('design_console')}</h3>
    <div data-role="admin">${consoleStates.map(
      (codes) => html`<p class="row">${codes.map((state) => html`<${Badge} state=${state} />`)}</p>`,
    )}</div>`;
}

export function Amounts() {
  return html`<div class="card">${[95, 80, 40, 15, 7, 0].map((left) => html`<${StockBar} left=${left} total=${100} />`)}
    <${StockBar} total=${100} /><p class="stock"><${Bar} value=${30} of=${100} />
      <span>${t('design_part', { part: 30, whole: 100 })}</span></p>
    <p class="price">${money(1900, 'CNY')}<s>${money(4900, 'CNY')}</s></p></div>`;
}

export function Pictures() {
  const urls = ['lamp', 'course', 'none'].map((name) => ownPath(`/assets/demo/${name}.svg`));
  return html`<div class="samples"><${Picture} url=${ownPath('/assets/demo/lamp.svg')} title=${t('design_lamp')} />
    <${Picture} url=${ownPath('/assets/demo/none.svg')} title=${t('design_lamp')} />
    <${Picture} title=${t('design_lamp')} /></div>
    <div class="sale-page"><${Gallery} urls=${urls} title=${t('design_lamp')} /></div>`;
}

const rows = [
  { id: 'lamp', state: 'running', sold: 1234 },
  { id: 'course', state: 'upcoming', sold: 0 },
];
const table = () => ({
  columns: [
    [t('design_goods'), (row) => row.id],
    [t('design_state'), (row) => html`<${Badge} state=${row.state} />`],
    [t('design_sold'), (row) => number(row.sold), 'number'],
  ],
  keyOf: (row) => row.id,
  empty: t('design_none'),
});

export function Lists() {
  return html`<${Table} name=${t('design_lists')} rows=${rows} ...${table()} />
    <${List} list=${{ read: true, items: rows, partial: true, more: () => {} }} name=${t('design_list_more')}
      ...${table()} />`;
}

export function Empties() {
  return html`<${Loading} /><${List} list=${{ items: [] }} name="" ...${table()} />
    <${Table} name=${t('design_empties')} rows=${[]} ...${table()} />
    <${Empty} icon="orders" text=${t('orders_none')}><a class="button" href="#">${t('first_page')}</a><//>
    <p class="notice">${t('partial')}</p><p class="step">${t('design_step')}</p>
    <p class="row">${['runs', 'due', 'done', 'over', 'wrong', 'blocked'].map((of) => html`<${Sign} of=${of} />`)}</p>`;
}

export function Problems() {
  const retry = () => {};
  return html`<${Problem} error=${{ code: 'unavailable' }} retry=${retry} />
    <${Problem} error=${{ code: 'forbidden' }} />
    <${List} list=${{ read: true, items: [], error: { code: 'internal' }, reload: retry }} name="" ...${table()} />`;
}
