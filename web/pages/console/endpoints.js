// The endpoints to which events are sent.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { dotted } from '../shared/phrases.js';
import { offText, path, SwitchOn } from './endpoint_parts.js';
import { Time, zoned } from './moment.js';
import { Menu } from './menu.js';
import { Action, Badge, save, Table, words } from './parts.js';
import { Secret } from './secret.js';

// stateOf says whether an endpoint gets its events.
function stateOf(endpoint) {
  if (endpoint.disabled_reason) return 'switched_off';
  if (!endpoint.enabled) return 'paused';
  return endpoint.failing_since ? 'failing' : 'ok';
}

const eventTypes = [
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
  'waitlist.offered',
  'reminder.due',
  'payment.flagged',
  'refund.done',
  'refund.failed',
  'dispute.opened',
  'dispute.updated',
  'dispute.closed',
  'activity.published',
  'activity.changed',
  'activity.started',
  'activity.sold_out',
  'activity.ended',
  'activity.paused',
  'activity.resumed',
];

// typesOf returns all types of events, and types of the endpoint that a newer program knows.
const typesOf = (e) => [...new Set([...eventTypes, ...(e?.types ?? [])])];

// eventText is the text of a type of events.
export const eventText = (type) => words('event', type.replace('.', '_'));

const fieldsOf = (e) => [
  ...(e ? [] : [{ name: 'endpoint_id', label: t('endpoint_id'), required: true, ...idInput }]),
  {
    name: 'url',
    label: 'URL',
    type: 'url',
    required: true,
    maxlength: 2000,
    initial: e?.url,
    help: t('endpoint_url_help'),
  },
  {
    name: 'types',
    type: 'group',
    label: t('event_types'),
    help: t('event_types_help'),
    fields: typesOf(e).map((type) => ({
      name: `type ${type}`,
      label: html`<span>${eventText(type)} <code class="muted">${type}</code></span>`,
      type: 'checkbox',
      initial: e?.types.includes(type),
    })),
  },
  { name: 'enabled', label: t('enabled'), type: 'checkbox', initial: e?.enabled ?? true },
];

const put = (e) => (v, _, version) =>
  save(
    e,
    path(e?.endpoint_id ?? v.endpoint_id),
    {
      body: { url: v.url, types: typesOf(e).filter((type) => v[`type ${type}`]), enabled: v.enabled === 'true' },
    },
    version,
  );

export function Endpoints() {
  const { value, error, reload } = useEvery(3000, () => call('GET', '/endpoints?page_size=100'));
  const [made, setMade] = useState();
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const secret = (endpoint) => {
    if (endpoint.secret) setMade(endpoint);
    reload();
  };
  const columns = [
    [
      t('endpoint'),
      (e) => html`<a href="#/deliveries/${e.endpoint_id}"><b>${e.endpoint_id}</b></a>
      <p class="muted">${dotted(e.url)}</p>`,
      'lead wide',
    ],
    [
      t('state'),
      (e) => html`<${Badge} state=${stateOf(e)} />
        ${e.disabled_reason && html`<p class="bad">${offText(e.disabled_reason)}</p>`}`,
      'end',
    ],
    [t('event_types'), (e) => (e.types.length ? e.types.map(eventText).join(', ') : t('all')), 'wide named'],
    [t('waiting'), (e) => number(e.waiting), 'number named'],
    [zoned(t('last_success')), (e) => html`<${Time} at=${e.last_success_at} />`, 'named'],
    [
      '',
      (e) => html`<div class="row actions">
      ${!e.enabled && html`<${SwitchOn} endpoint=${e} then=${reload} />`}
      <${Action} label=${t('edit')} title=${t('edit_title', { name: e.endpoint_id })} button=${t('save')}
        fields=${fieldsOf(e)} run=${put(e)} then=${secret} done=${t('done_saved', { name: e.endpoint_id })} />
      <${Menu}><${Action} label=${t('rotate')} title=${t('rotate')} help=${t('rotate_help')}
        run=${(_, key) => call('POST', `${path(e.endpoint_id)}/rotate`, { key })} then=${secret}
        done=${null} />
      <${Action} label=${t('delete')} title=${t('delete_title', { name: e.endpoint_id })} kind="danger"
        help=${t('delete_endpoint_help')}
        run=${(_, key, version = e.version) => call('DELETE', path(e.endpoint_id), { version })}
        done=${t('done_deleted', { name: e.endpoint_id })}
        then=${reload} /><//></div>`,
      'tools',
    ],
  ];
  return html`<div class="row heading"><h1>${t('menu_endpoints')}</h1>
      <${Action} label=${t('new_endpoint')} title=${t('new_endpoint')} button=${t('make_endpoint')} kind="go"
        fields=${fieldsOf()} run=${put()}
        then=${secret} done=${null} /></div>
    <p class="muted">${t('endpoints_help')}</p>
    <${Table} name=${t('menu_endpoints')} columns=${columns} rows=${value.items} empty=${t('endpoints_none')}
      keyOf=${(e) => e.endpoint_id} />
    ${
      made &&
      html`<${Secret} title=${t('secret_title', { name: made.endpoint_id })} help=${t('secret_help')}
        secret=${made.secret} close=${() => setMade()} />`
    }`;
}
