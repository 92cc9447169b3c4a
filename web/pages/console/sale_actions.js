// What an operator does with a published sale.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { unitsLeft } from '../shared/sale_figures.js';
import { leaveFor } from '../shared/leave.js';
import { Action } from './parts.js';
import { stateOf } from './sales.js';

const path = (sale) => `/activities/${sale.activity_id}`;
const open = (sale) => ['running', 'upcoming'].includes(stateOf(sale));

// local returns a time as a field of type datetime-local shows it.
export function local(iso) {
  if (!iso) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

// utc turns it back. A time that differs from stored only in its milliseconds stays stored.
export function utc(text, stored) {
  if (!text) return undefined;
  const iso = new Date(text).toISOString();
  return stored && iso === new Date(local(stored)).toISOString() ? stored : iso;
}

export function Extend({ sale, then }) {
  if (!open(sale)) return null;
  const field = { name: 'ends_at', label: t('ends_at'), type: 'datetime-local', required: true };
  const run = ({ ends_at: at }, key, version = sale.version) =>
    call('PATCH', path(sale), { version, body: { ends_at: utc(at, sale.ends_at) } });
  return html`<${Action} route="PATCH /activities/{activity_id}" label=${t('extend')} title=${t('extend')} id="extend"
    fields=${[{ ...field, initial: local(sale.ends_at) }]} run=${run} then=${then} />`;
}

// stockFields choose a sku of a sale and a stock point.
function stockFields(sale) {
  const points = [...new Set(sale.skus.flatMap((sku) => sku.stock.map((stock) => stock.point_id)))];
  return [
    {
      name: 'sku_id',
      label: t('sku'),
      options: sale.skus.map((sku) => [sku.sku_id, sku.sku_id]),
      initial: sale.skus[0].sku_id,
    },
    { name: 'point_id', label: t('point'), options: points.map((point) => [point, point]), initial: points[0] },
  ];
}

export function ChangeStock({ sale, then }) {
  if (!open(sale)) return null;
  const fields = [
    ...stockFields(sale),
    { name: 'delta', label: t('units'), type: 'number', step: 1, required: true, help: t('delta_help') },
  ];
  const run = (v, key) => call('POST', `${path(sale)}/stock`, { key, body: { ...v, delta: Number(v.delta) } });
  return html`<${Action} route="POST /activities/{activity_id}/stock"
    label=${t('change_stock')} title=${t('change_stock')} fields=${fields} run=${run}
    then=${then} />`;
}

// SetStock sets the total of a sku at a stock point, made from the sale as the reader saw it when the form opened: the
// sale is read again meanwhile.
export function SetStock({ sale, then }) {
  const seen = useRef(sale);
  if (!open(sale)) return null;
  const fields = [
    ...stockFields(sale),
    { name: 'quantity', label: t('units'), type: 'number', step: 1, min: 0, required: true, help: t('total_help') },
  ];
  const now = ({ sku_id: id, point_id: point }) => {
    const stock = seen.current.skus.find((sku) => sku.sku_id === id)?.stock.find((s) => s.point_id === point);
    return t('total_now', { units: number(stock?.quantity ?? 0) });
  };
  const onOpen = () => {
    seen.current = sale;
  };
  const run = (v, _, version = seen.current.version) =>
    call('PUT', `${path(sale)}/stock`, { version, body: { ...v, quantity: Number(v.quantity) } });
  return html`<${Action} route="PUT /activities/{activity_id}/stock" label=${t('set_stock')} title=${t('set_stock')}
    help=${t('set_total_help')} id="set-stock" onOpen=${onOpen} fields=${fields} preview=${now} run=${run}
    then=${then} />`;
}

export function Clone({ sale, kind }) {
  return html`<${Action} route="POST /activities/{activity_id}/clone"
    label=${t('clone')} kind=${kind} run=${(_, key) => call('POST', `${path(sale)}/clone`, { key, body: {} })}
    then=${(copy) => leaveFor(`#/edit/${copy.activity_id}`)} />`;
}

// Pause stops the selling of a sale that runs or comes, and Resume lets it go on. Its waiting room keeps all places.
export function Pause({ sale, then }) {
  if (!open(sale)) return null;
  if (sale.paused_at) {
    return html`<${Action} route="POST /activities/{activity_id}/resume" label=${t('resume_sale')} kind="go" id="resume"
      run=${(_, key) => call('POST', `${path(sale)}/resume`, { key })} then=${then} />`;
  }
  return html`<${Action} route="POST /activities/{activity_id}/pause"
    label=${t('pause_sale')} title=${t('pause_sale')} help=${t('pause_sale_help')} id="pause"
    run=${(_, key) => call('POST', `${path(sale)}/pause`, { key })} then=${then} />`;
}

// Close ends a sale for ever. It says first of whom and of what: what is on sale, ordered and waited for right now.
export function Close({ sale, then }) {
  const [stats, set] = useState();
  if (!open(sale)) return null;
  const onOpen = () => {
    set();
    call('GET', `${path(sale)}/stats`).then(set, () => set({}));
  };
  return html`<${Action} route="POST /activities/{activity_id}/offline" label=${t('close_sale')}
    title=${t('close_title', { sale: sale.title })} help=${closeHelp(stats)} kind="danger" onOpen=${onOpen}
    id="close" run=${(_, key) => call('POST', `${path(sale)}/offline`, { key })} then=${then} />`;
}

// closeHelp says what closing a sale means, with its figures once they are known.
function closeHelp(stats) {
  if (!stats?.loaded) return t('close_sale_help');
  return `${t('close_sale_help')} ${t('close_sale_affects', {
    left: number(unitsLeft(stats)),
    unpaid: number(stats.placed + stats.unpaid),
    waiting: number(stats.waiting_room?.waiting ?? 0),
  })}`;
}
