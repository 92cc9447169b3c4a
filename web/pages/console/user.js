// One buyer: what was refused and ordered in the last day, and what may be done with all that is stored.
import { html } from '../vendor/preact-htm.js';
import sharedEn from '../shared/text_en.js';
import sharedZh from '../shared/text_zh.js';
import toldEn from '../shared/told_en.js';
import toldZh from '../shared/told_zh.js';
import { language, money, number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { may } from './me.js';
import { Menu } from './menu.js';
import { Time, zoned } from './moment.js';
import { Action, Badge, Table, To } from './parts.js';
import { save } from './list_parts.js';
import { BackToOrders } from './ways.js';
import { sentence } from './wrong.js';

// shopTexts are what the page of the shop says of problems, in the reader's language.
const shopTexts = language === 'zh' ? { ...sharedZh, ...toldZh } : { ...sharedEn, ...toldEn };

// told is what the page of the shop showed of a refusal.
const told = ({ code, detail }) =>
  (shopTexts[`problem_${code}`] ?? detail ?? code).replace('{detail}', () => detail ?? '');

const erase = 'POST /users/{user_id}/erase';

export function User({ id }) {
  const path = `/users/${encodeURIComponent(id)}`;
  const { value: trail, error, reload } = useLoad(() => call('GET', `${path}/trail`), [id]);
  const query = new URLSearchParams({ user_id: id });
  return html`<${BackToOrders} /><div class="row heading"><h1>${t('user_title', { user: id })}</h1>
      <a class="button quiet" href="#/money/orders?${query}">${t('orders_all')}</a>
      <${Action} route="GET /users/{user_id}/export" label=${t('user_export')} done=${null}
        run=${() => save(`${path}/export`, 'user.json')} />
      <${Block} user=${id} />
      ${may(erase) && html`<${Menu}><${Erase} path=${path} user=${id} then=${reload} /><//>`}</div>
    <${Problem} error=${error} retry=${reload} />
    ${trail ? html`<${Trail} trail=${trail} />` : !error && html`<${Loading} />`}`;
}

function Trail({ trail }) {
  return html`${trail.partial && html`<p class="notice">${t('trail_partial')}</p>`}
    <h2>${t('trail_refusals')}</h2>
    <p class="muted">${t('trail_help')}</p>
    <${Table} name=${t('trail_refusals')} rows=${trail.refusals} columns=${refusalColumns()}
      empty=${t('trail_refusals_none')}
      keyOf=${(r) => `${r.instance}${r.first_request_id}${r.first_at}`} />
    <h2>${t('trail_orders')}</h2>
    <${Table} name=${t('trail_orders')} rows=${trail.orders} columns=${orderColumns()} empty=${t('trail_orders_none')}
      keyOf=${(order) => order.order_number} />`;
}

const refusalColumns = () => [
  [zoned(t('trail_last')), (r) => html`<${Time} at=${r.last_at} />`, 'lead'],
  [
    t('sale'),
    (r) =>
      r.activity_id &&
      html`<${To} route="GET /activities/{activity_id}/stats" href="#/live/${r.activity_id}">${r.activity_id}<//>
        <code>${r.sku_id}</code>`,
  ],
  [
    t('trail_answer'),
    (r) => html`${told(r)} <code>${r.code}</code>
      ${told(r) !== r.detail && html`<p class="muted">${sentence(r.detail ?? '')}</p>`}`,
    'wide',
  ],
  [t('trail_request'), (r) => html`<code>${r.method} ${r.path}</code>`, 'cut'],
  [t('trail_count'), (r) => number(r.count), 'number named'],
  [t('trail_request_id'), (r) => html`<code>${r.last_request_id}</code>`, 'cut named'],
  [t('trail_key'), (r) => r.idempotency_key && html`<code>${r.idempotency_key}</code>`, 'cut named'],
];

const orderColumns = () => [
  [t('order'), (o) => html`<a href="#/order/${o.order_number}">${o.order_number}</a>`, 'lead id'],
  [zoned(t('placed')), (o) => html`<${Time} at=${o.placed_at} />`, 'when'],
  [t('what'), (o) => o.items.map((item) => `${item.title} × ${item.quantity}`).join(', '), 'cut'],
  [t('amount'), (o) => money(o.total_amount, o.currency), 'number'],
  [t('state'), (o) => html`<${Badge} state=${o.status} />`, 'end'],
];

// Block keeps a buyer out of the sales; it can be taken back at once.
function Block({ user }) {
  const path = `/blocked/${encodeURIComponent(`user:${user}`)}`;
  const fields = [{ name: 'reason', label: t('reason'), required: true, maxlength: 200 }];
  return html`<${Action} route="PUT /blocked/{subject}" label=${t('block')} id="block" kind="danger"
    title=${t('block_user_title', { user })} help=${t('block_help')} fields=${fields}
    run=${({ reason }) => call('PUT', path, { body: { reason }, create: true })}
    done=${t('done_blocked', { subject: user })}
    undo=${({ version }) =>
      () =>
        call('DELETE', path, { version })} />`;
}

function Erase({ path, user, then }) {
  const fields = [{ name: 'confirm', label: t('type_to_confirm', { what: user }), required: true, maxlength: 64 }];
  return html`<${Action} route=${erase} label=${t('user_erase')} kind="danger"
    title=${t('user_erase_title', { user })} help=${t('user_erase_help')} fields=${fields}
    run=${(body, key) => call('POST', `${path}/erase`, { key, body })} then=${then} />`;
}
