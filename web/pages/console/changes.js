// Who changed what.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { actionText, Fields, shownFields } from './difference.js';
import { Time, zoned } from './moment.js';
import { emptyText, Filters, List, queryOf, useFilters, usePages, words } from './parts.js';
import { jobText } from './job_words.js';
import { SaleTabs } from './ways.js';

const few = 4; // fields that are shown at once

const actions = {
  activity: [
    'created',
    'changed',
    'published',
    'paused',
    'resumed',
    'taken_offline',
    'stock_changed',
    'stock_change_refused',
    'stock_change_abandoned',
    'units_held',
    'hold_named',
    'hold_released',
    'hold_ordered',
    'reloaded',
    'repaired',
    'deleted',
  ],
  sku: ['created', 'changed', 'stock_changed', 'deleted'],
  point: ['created', 'changed', 'deleted'],
  order: ['refunded', 'noted', 'held', 'paid_outside'],
  payment: ['flag_cleared'],
  refund: ['retried', 'reported'],
  voucher: ['redeemed'],
  dead: ['replayed', 'discarded'],
  blocked: ['created', 'changed', 'deleted'],
  endpoint: ['registered', 'changed', 'secret_changed', 'resent', 'deleted'],
  job: ['run', 'paused', 'resumed'],
  key: ['created', 'revoked'],
};

const addresses = {
  activity: (id) => `#/edit/${id}`,
  sku: (id) => `#/goods?${new URLSearchParams({ sku_id: id })}`,
  point: (id) => `#/points?${new URLSearchParams({ point_id: id })}`,
  order: (id) => `#/order/${id}`,
  payment: (id) => `#/payment/${id}`,
  refund: (id) => `#/money/refunds?${new URLSearchParams({ refund_number: id })}`,
  voucher: (id) => `#/voucher/${id}`,
  dead: () => '#/queue',
  blocked: () => '#/blocked',
  endpoint: (id) => `#/deliveries/${id}`,
  job: () => '#/jobs',
  key: () => '#/keys',
};

// titleOf is the name of what a change is about, as this or another change of it has it.
function titleOf(change, all) {
  const named = [change, ...all.filter((other) => other.on === change.on)];
  const values = named.flatMap(({ before, after }) => [after, before]);
  return values.map((value) => value?.title ?? value?.name).find((title) => typeof title === 'string');
}

// Subject links to what was changed.
function Subject({ change, all }) {
  const [kind, ...rest] = change.on.split(':');
  const id = rest.join(':');
  const title = kind === 'job' ? jobText(id) : titleOf(change, all);
  const gone = change.action.endsWith('.deleted') || !addresses[kind];
  const text = html`<b>${title ?? id}</b>`;
  return html`<span class="muted">${words('hit', kind)}</span>${' '}
    ${gone ? text : html`<a href=${addresses[kind](id)}>${text}</a>`}
    ${title && html`<p class="muted"><code>${id}</code></p>`}`;
}

export function Changes({ query }) {
  const [filters, setFilters] = useFilters('changes', query, { actor: '', on: '', action: '' });
  const list = usePages('/changes', queryOf(filters));
  const known = Object.entries(actions).flatMap(([kind, done]) => done.map((what) => `${kind}.${what}`));
  const other = filters.action && !known.includes(filters.action) ? [filters.action] : [];
  const options = [['', t('all')], ...[...other, ...known].map((action) => [action, actionText(action)])];
  const fields = [
    { name: 'actor', label: t('operator'), maxlength: 64 },
    { name: 'action', label: t('action'), options },
    { name: 'on', label: t('changed_item'), placeholder: 'sku:lamp', maxlength: 120 },
    { name: 'from', label: t('from_day'), type: 'date' },
    { name: 'to', label: t('to_day'), type: 'date' },
  ];
  const columns = [
    [zoned(t('at')), (c) => html`<${Time} at=${c.at} />`, 'end'],
    [t('operator'), (c) => html`<span title=${c.client_ip}>${c.actor}</span>`],
    [t('action'), (c) => html`<b title=${c.action}>${actionText(c.action)}</b>`, 'lead'],
    [t('changed_item'), (c) => html`<${Subject} change=${c} all=${list.items} />`, 'wide'],
    [t('difference'), (c) => html`<${Difference} fields=${shownFields(c)} />`, 'wide all'],
  ];
  const sale = /^activity:(.+)$/.exec(filters.on)?.[1];
  return html`<h1>${t('menu_changes')}</h1>${sale && html`<${SaleTabs} id=${sale} current="changes" />`}
    <p class="muted">${t('changes_help')}</p>
    <${Filters} fields=${fields} values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_changes')} columns=${columns} empty=${emptyText('changes', queryOf(filters))}
      keyOf=${(c) => c.change_id} />`;
}

// Difference shows the fields that differ: a few at once, more when they are unfolded.
function Difference({ fields }) {
  if (fields.length === 0) return '–';
  if (fields.length <= few) return html`<${Fields} fields=${fields} />`;
  const title = t('fields_changed', { count: number(fields.length) });
  return html`<details><summary>${title}</summary><${Fields} fields=${fields} /></details>`;
}
