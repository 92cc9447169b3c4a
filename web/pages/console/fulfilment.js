// Packing, shipping and delivering orders, one by one and by a file.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { number, problemText, t } from '../shared/texts.js';
import { call, upload } from '../shared/server.js';
import { Dialog } from '../shared/parts.js';
import { may } from './me.js';
import { Action } from './parts.js';

// parcelFields are what an operator says of a parcel.
const parcelFields = (is) => [
  { name: 'carrier', label: t('carrier'), required: true, maxlength: 64, initial: is?.carrier },
  { name: 'tracking_number', label: t('tracking_number'), maxlength: 64, initial: is?.tracking_number },
];

// marksOf returns how an order may be marked.
function marksOf({ status, delivery, fulfilment: is }) {
  if (delivery === 'none' || (status !== 'paid' && !(status === 'refunded' && is?.state === 'shipped'))) return [];
  const last = delivery === 'pickup' ? 'deliver' : 'ship';
  if (!is) return ['pack', last];
  if (is.state === 'packed') return [last];
  return is.state === 'shipped' ? ['deliver', ...(status === 'paid' ? ['ship'] : [])] : [];
}

// Marks are the buttons that mark an order.
export function Marks({ order, path, reload }) {
  return marksOf(order).map((mark) => {
    const what = mark === 'ship' && order.fulfilment?.state === 'shipped' ? 'correct' : mark;
    const label = t(mark === 'deliver' && order.delivery === 'pickup' ? 'mark_handed' : `mark_${what}`);
    const fields = mark === 'ship' ? parcelFields(order.fulfilment) : [];
    return html`<${Action} key=${what} id="mark-${what}" route=${`POST /orders/{order_number}/${mark}`} label=${label}
      title=${fields.length > 0 ? label : undefined} fields=${fields}
      run=${(body, key) => call('POST', `${path}/${mark}`, { key, ...(fields.length > 0 && { body }) })}
      then=${reload} />`;
  });
}

// ShipFile sends a file of marks, and says which of its lines were refused.
export function ShipFile({ again }) {
  const chooser = useRef();
  const [state, set] = useState({});
  if (!may('POST /orders:ship')) return null;
  const send = async (file) => {
    if (!file) return;
    set({ busy: true });
    try {
      const marked = await upload('/orders:ship', new Blob([file], { type: 'text/csv' }));
      set({ marked });
      again();
    } catch (error) {
      set({ wrong: problemText(error) });
    }
  };
  const choose = (e) => {
    send(e.currentTarget.files[0]);
    e.currentTarget.value = ''; // the same file may be chosen again
  };
  return html`<input ref=${chooser} type="file" id="ship-chooser" hidden accept=".csv,text/csv" onChange=${choose} />
    <button type="button" id="ship-file" class="quiet" title=${t('ship_file_help')}
      aria-disabled=${state.busy ? 'true' : undefined}
      onClick=${() => state.busy || chooser.current.click()}>${t('ship_file')}</button>
    ${state.wrong && html`<p class="bad" role="alert">${state.wrong}</p>`}
    ${state.marked && html`<${Marked} marked=${state.marked} close=${() => set({})} />`}`;
}

function Marked({ marked, close }) {
  return html`<${Dialog} title=${t('ship_file')} close=${close}>
    <p id="ship-done">${t('ship_done', { count: number(marked.marked) })}</p>
    ${marked.failed > 0 && html`<p class="bad">${t('ship_failed', { count: number(marked.failed) })}</p>`}
    ${marked.items
      .filter((item) => item.error)
      .map(({ line, error }) => html`<p key=${line}>${t('ship_line', { line: number(line) })} ${error.detail}</p>`)}
    <button type="button" class="go" onClick=${close}>${t('close')}</button><//>`;
}
