// What an operator does with a published sale.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { isBundle, unitsLeft } from '../shared/sale_figures.js';
import { leaveFor } from '../shared/leave.js';
import { pointText } from './list_parts.js';
import { may } from './me.js';
import { moment } from './moment.js';
import { Action, readAll, sentences } from './parts.js';
import { stateOf } from './sales.js';
import { salesStopped } from './standing.js';
import { deltaOf, stockAfter, stockFields } from './stock.js';

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

const day = (text) => moment(text && new Date(text));

// later adds minutes to a time as a field shows it.
const later = (minutes) => (text) => local(new Date(new Date(text).getTime() + minutes * 60_000).toISOString());

export function Extend({ sale, then }) {
  if (!open(sale)) return null;
  const patch = (at, version) => call('PATCH', path(sale), { version, body: { ends_at: at } });
  const field = {
    name: 'ends_at',
    label: t('ends_at'),
    type: 'datetime-local',
    required: true,
    initial: local(sale.ends_at),
    presets: [
      [t('later_minutes', { n: 15 }), later(15)],
      [t('later_hours', { n: 1 }), later(60)],
    ],
  };
  return html`<${Action} route="PATCH /activities/{activity_id}" label=${t('extend')} title=${t('extend')} id="extend"
    fields=${[field]} preview=${({ ends_at: at }) => `${moment(sale.ends_at)} → ${day(at)}`}
    run=${({ ends_at: at }, _, version = sale.version) => patch(utc(at, sale.ends_at), version)} then=${then}
    done=${(now) => t('done_extended', { sale: sale.title, time: moment(now.ends_at) })}
    undo=${(now) => () => patch(sale.ends_at, now.version)} />`;
}

// Stock changes the units of a sale at a point, not of bundles: by adding or taking some, or to a total. It counts from
// the sale as the reader saw it when the form opened: the sale is read again meanwhile.
export function Stock({ sale, then }) {
  const seen = useRef(sale);
  const [points, setPoints] = useState([]);
  const [goods, setGoods] = useState([]);
  if (!open(sale)) return null;
  const nameOf = (id) => pointText(id, points.find((point) => point.point_id === id)?.name);
  const skus = sale.skus.filter((sku) => !isBundle(sku));
  const ids = [...new Set(skus.flatMap((sku) => sku.stock.map((stock) => stock.point_id)))];
  const titled = (id) => goods.find((sku) => sku.sku_id === id)?.title ?? id;
  const options = skus.map(({ sku_id: id }) => [id, titled(id) === id ? id : `${titled(id)} (${id})`]);
  const fields = stockFields(t('set_total_help'), [
    { name: 'sku_id', label: t('sku'), options, initial: skus[0].sku_id },
    { name: 'point_id', label: t('point'), options: ids.map((id) => [id, nameOf(id)]), initial: ids[0] },
  ]);
  const before = ({ sku_id: id, point_id: point }) =>
    seen.current.skus.find((sku) => sku.sku_id === id)?.stock.find((s) => s.point_id === point)?.quantity ?? 0;
  const said = (v, key) =>
    t(key, {
      sku: titled(v.sku_id),
      before: number(before(v)),
      after: number(stockAfter(before(v), v)),
      more: number(stockAfter(before(v), v) - before(v)),
      point: nameOf(v.point_id),
    });
  // preview says also what buyers notice.
  const preview = (v) => said(v, stockAfter(before(v), v) > before(v) ? 'stock_preview_more' : 'stock_preview');
  const add = (v, delta, key) =>
    call('POST', `${path(sale)}/stock`, { key, body: { sku_id: v.sku_id, point_id: v.point_id, delta } });
  const set = (v, quantity, version) =>
    call('PUT', `${path(sale)}/stock`, { version, body: { sku_id: v.sku_id, point_id: v.point_id, quantity } });
  const run = (v, key, version = seen.current.version) =>
    v.how === 'set' ? set(v, Number(v.units), version) : add(v, deltaOf(v), key);
  // A change that is pending may still be given up, so that nothing is to be taken back.
  const undo = ({ status, delta }, v) => status !== 'pending' && delta !== 0 && ((key) => add(v, -delta, key));
  const onOpen = () => {
    seen.current = sale;
    if (may('GET /points')) readAll('/points').then(setPoints, () => {});
    if (may('GET /skus')) readAll('/skus', { activity_id: sale.activity_id }).then(setGoods, () => {});
  };
  return html`<${Action} route="POST /activities/{activity_id}/stock" label=${t('change_stock')}
    title=${t('change_stock')} id="stock" onOpen=${onOpen} fields=${fields} run=${run}
    then=${then} preview=${preview} done=${(_, v) => said(v, 'done_stock')}
    undo=${undo} />`;
}

export function Clone({ sale, kind }) {
  return html`<${Action} route="POST /activities/{activity_id}/clone"
    label=${t('clone')} kind=${kind} run=${(_, key) => call('POST', `${path(sale)}/clone`, { key, body: {} })}
    then=${(copy) => leaveFor(`#/edit/${copy.activity_id}`)} done=${t('done_cloned', { sale: sale.title })} />`;
}

// Pause stops the selling of a sale that runs or comes, and Resume lets it go on. Its waiting room keeps all places.
export function Pause({ sale, then, opens }) {
  const [stats, read] = useAffected(sale);
  if (!open(sale)) return null;
  const kind = salesStopped() ? 'quiet' : 'danger'; // nothing sells already
  const pause = (_, key) => call('POST', `${path(sale)}/pause`, { key });
  const resume = (_, key) => call('POST', `${path(sale)}/resume`, { key });
  if (sale.paused_at) {
    return html`<${Action} route="POST /activities/{activity_id}/resume" label=${t('resume_sale')} kind="go" id="resume"
      run=${resume} done=${t('done_resumed', { sale: sale.title })} undo=${() => (key) => pause({}, key)}
      then=${then} />`;
  }
  return html`<${Action} route="POST /activities/{activity_id}/pause" kind=${kind} button=${t('pause_it')}
    label=${t('pause_sale')} title=${t('pause_sale_title', { sale: sale.title })} id="pause" opens=${opens}
    help=${helpOf('pause_sale', stats)} onOpen=${read} run=${pause}
    done=${t('done_paused', { sale: sale.title })} undo=${() => (key) => resume({}, key)} then=${then} />`;
}

// Close ends a sale for ever. It says first of whom and of what: what is on sale, ordered and waited for right now.
export function Close({ sale, then }) {
  const [stats, read] = useAffected(sale);
  if (!open(sale)) return null;
  return html`<${Action} route="POST /activities/{activity_id}/offline" label=${t('close_sale')}
    title=${t('close_title', { sale: sale.title })} help=${helpOf('close_sale', stats)} kind="danger" onOpen=${read}
    id="close" done=${t('done_closed', { sale: sale.title })}
    run=${(_, key) => call('POST', `${path(sale)}/offline`, { key })} then=${then} />`;
}

// useAffected returns the figures of a sale, which a dialog reads when it opens.
function useAffected(sale) {
  const [stats, set] = useState();
  const read = () => {
    set();
    call('GET', `${path(sale)}/stats`).then(set, () => set({}));
  };
  return [stats, read];
}

// helpOf says what an action on a sale means, with the figures of the sale once they are known.
function helpOf(action, stats) {
  if (!stats?.loaded) return t(`${action}_help`);
  const affected = t('sale_affects', {
    left: number(unitsLeft(stats)),
    unpaid: number(stats.placed + stats.unpaid),
    waiting: number(stats.waiting_room?.waiting ?? 0),
  });
  return sentences(t(`${action}_help`), affected);
}
