// Sending an order that is not packed yet to another address of the buyer.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { addressLine, Dialog, Loading, Problem } from '../shared/parts.js';

// Readdress is a button that asks for another address. done is called once the order has it.
export function Readdress({ order, done }) {
  const [open, setOpen] = useState(false);
  if (!order.address_open) return null;
  const close = () => setOpen(false);
  const ask = () => setOpen(true);
  return html`<button type="button" id="readdress" class="quiet" onClick=${ask}>${t('readdress')}</button>
    ${
      open &&
      html`<${Choice} order=${order} close=${close} done=${() => {
        close();
        done();
      }} />`
    }`;
}

function Choice({ order, close, done }) {
  const { value, error, reload } = useLoad(() => call('GET', '/addresses?page_size=100'));
  const [state, set] = useState({});
  const running = useRef(false);
  const send = async (e) => {
    e.preventDefault();
    if (running.current) return;
    running.current = true;
    const body = { address_id: new FormData(e.target).get('address_id') };
    set({ busy: true });
    try {
      await call('PATCH', `/orders/${order.order_number}`, { body });
      done();
    } catch (failed) {
      set({ error: failed });
    }
    running.current = false;
  };
  const isNow = order.address?.address_id;
  const choice = (a) => html`<label class="row" key=${a.address_id}><input type="radio" name="address_id" required
      value=${a.address_id} defaultChecked=${a.address_id === isNow} /> ${addressLine(a)}, ${a.phone}</label>`;
  const shown = value ? html`${value.items.map(choice)}` : !error && html`<${Loading} />`;
  return html`<${Dialog} title=${t('readdress_title')} close=${close}><form onSubmit=${send}>
    <p class="muted">${t('readdress_help')}</p><${Problem} error=${error} retry=${reload} />${shown}
    <${Problem} error=${state.error} />
    <div class="row acts">
      <button class="go" aria-disabled=${state.busy ? 'true' : undefined}>${t('readdress_do')}</button>
      <a class="button quiet" href="#/addresses">${t('menu_addresses')}</a>
      <button type="button" class="quiet" onClick=${close}>${t('cancel')}</button></div></form><//>`;
}
