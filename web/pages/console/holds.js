// The units of a sale that operators have set aside for a desk or a buyer, on its live page.
import { html, useEffect } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { idInput } from '../shared/ids.js';
import { pointText } from './list_parts.js';
import { may } from './me.js';
import { moment } from './moment.js';
import { Action, List, usePages } from './parts.js';
import { utc } from './sale_actions.js';
import { stateOf } from './sales.js';

const route = '/activities/{activity_id}/holds';

const open = (sale) => ['running', 'upcoming'].includes(stateOf(sale));

const options = (ids, nameOf = (id) => id) => ids.map((id) => [id, nameOf(id)]);

// fieldsOf are the fields of units to set aside.
function fieldsOf(sale) {
  const points = [...new Set(sale.skus.flatMap((sku) => sku.stock.map((stock) => stock.point_id)))];
  const skus = sale.skus.map((sku) => sku.sku_id);
  return [
    { name: 'sku_id', label: t('sku'), options: options(skus), initial: skus[0] },
    { name: 'point_id', label: t('point'), options: options(points, pointText), initial: points[0] },
    { name: 'quantity', label: t('units'), type: 'number', min: 1, step: 1, required: true, initial: 1, steps: true },
    { name: 'user_id', label: t('hold_user'), maxlength: 64, help: t('hold_user_help') },
    { name: 'note', label: t('hold_note'), maxlength: 200 },
    { name: 'until', label: t('hold_until'), type: 'datetime-local', help: t('hold_until_help') },
  ];
}

// SetAside sets units of a sale aside.
function SetAside({ sale, path, then }) {
  if (!open(sale)) return null;
  const run = ({ quantity, until, ...typed }, key) => {
    return call('POST', path, { key, body: filled({ ...typed, quantity: Number(quantity), until: utc(until) }) });
  };
  return html`<${Action} route=${`POST ${route}`} id="set-aside" label=${t('set_aside')} title=${t('set_aside')}
    help=${t('set_aside_help')} fields=${fieldsOf(sale)} run=${run} then=${then}
    done=${(hold) => t('done_set_aside', { units: number(hold.quantity), sku: hold.sku_id })}
    undo=${(hold) => () => call('DELETE', `${path}/${hold.hold_id}`)} />`;
}

// orderFields are the fields of an order of a hold, of the buyer who is named or of one who is named now.
const orderFields = (hold) =>
  [
    !hold.user_id && { name: 'user_id', label: t('hold_user'), maxlength: 64, required: true },
    {
      name: 'quantity',
      label: t('units'),
      type: 'number',
      min: 1,
      max: hold.quantity,
      step: 1,
      required: true,
      initial: hold.quantity,
      steps: true,
      help: t('hold_order_units_help'),
    },
    { name: 'address_id', label: t('hold_address'), ...idInput, help: t('hold_address_help') },
    { name: 'pickup_point_id', label: t('hold_pickup'), ...idInput, help: t('hold_pickup_help') },
    { name: 'remark', label: t('remark'), maxlength: 200 },
  ].filter(Boolean);

// filled are the fields of a body that have a value.
const filled = (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value));

// Tools are what is done with one hold.
function Tools({ hold, path, then }) {
  const at = `${path}/${hold.hold_id}`;
  const name = { name: 'user_id', label: t('hold_user'), maxlength: 64, required: true };
  const facts = { units: number(hold.quantity), sku: hold.sku_id };
  const order = (typed, key) => {
    const delivery = typed.pickup_point_id && 'pickup';
    return call('POST', `${at}/order`, { key, body: filled({ ...typed, quantity: Number(typed.quantity), delivery }) });
  };
  return html`<span class="row">${
    !hold.user_id &&
    html`<${Action} route=${`PATCH ${route}/{hold_id}`} label=${t('hold_name')} title=${t('hold_name')}
      help=${t('hold_name_help')} fields=${[name]} run=${(body) => call('PATCH', at, { body })} then=${then}
      done=${({ user_id: user }) => t('done_hold_named', { user })} />`
  }<${Action} route=${`POST ${route}/{hold_id}/order`} label=${t('hold_order')} title=${t('hold_order_title', facts)}
      help=${t('hold_order_help')} fields=${orderFields(hold)} run=${order} then=${then}
      done=${({ order_number: n }) => t('done_hold_ordered', { order: n })} />
    <${Action} route=${`DELETE ${route}/{hold_id}`} label=${t('hold_release')}
      title=${t('hold_release_title', facts)} help=${t('hold_release_help')} kind="danger"
      run=${() => call('DELETE', at)} then=${then} done=${t('done_hold_released', facts)} /></span>`;
}

// Holds lists the units that are set aside, and sets more aside, where the reader may. The list is read again with each
// reading of the sale, since what a buyer takes leaves it a moment later; a reader of its later pages keeps them until
// offered, how many units the account has as kept for buyers, changes.
export function Holds(props) {
  return may(`GET ${route}`) ? html`<${AllHolds} ...${props} />` : null;
}

function AllHolds({ sale, offered, then }) {
  const path = `/activities/${sale.activity_id}/holds`;
  const list = usePages(path);
  useEffect(() => {
    if (list.read) list.reload();
  }, [offered]);
  useEffect(() => {
    if (list.read && list.items.length <= 50) list.reload();
  }, [sale]);
  const again = () => {
    list.reload();
    then();
  };
  const columns = [
    [t('units'), (hold) => number(hold.quantity), 'number lead'],
    [t('sku'), (hold) => hold.sku_id, 'named'],
    [t('point'), (hold) => pointText(hold.point_id), 'named'],
    [t('hold_for'), (hold) => hold.user_id ?? t('hold_desk'), 'named wide'],
    [t('hold_note'), (hold) => hold.note, 'wide'],
    [t('hold_until'), (hold) => (hold.until ? moment(hold.until) : t('hold_end')), 'named'],
    [t('hold_by'), (hold) => hold.made_by, 'named'],
    ['', (hold) => html`<${Tools} hold=${hold} path=${path} then=${again} />`, 'tools'],
  ];
  return html`<section id="holds"><div class="row heading"><h2>${t('holds')}</h2>
      <${SetAside} sale=${sale} path=${path} then=${again} /></div>
    <${List} list=${list} name=${t('holds')} columns=${columns} empty=${t('holds_none')}
      keyOf=${(hold) => hold.hold_id} /></section>`;
}
