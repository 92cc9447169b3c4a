// Cancelling an order, after a question.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { broken } from '../shared/phrases.js';
import { Dialog, Problem } from '../shared/parts.js';

// Cancel asks before it cancels an order, in the form of the question before an order. done is called when it is
// cancelled.
export function Cancel({ order, close, done }) {
  const [state, set] = useState({});
  const running = useRef(false);
  const cancel = async () => {
    if (running.current) return;
    running.current = true;
    set({ busy: true });
    try {
      await call('POST', `/orders/${order.order_number}/cancel`);
      done();
    } catch (error) {
      set({ error });
    }
    running.current = false;
  };
  return html`<${Dialog} title=${t('cancel_title')} close=${close}>
    <p><b>${order.items.map((item) => `${item.title} × ${item.quantity}`).join(', ')}</b></p>
    <dl class="amounts"><div><dt>${t('confirm_total')}</dt>
      <dd>${money(order.total_amount, order.currency)}</dd></div></dl>
    <p class="phrases">${broken(t('cancel_help'))}</p><${Problem} error=${state.error} />
    <div class="row acts"><button type="button" class="danger large" aria-disabled=${state.busy ? 'true' : undefined}
        onClick=${cancel}>${t('cancel_order')}</button>
      <button type="button" class="quiet" onClick=${close}>${t('cancel_not')}</button></div><//>`;
}

// CancelButton asks whether to cancel an order. done is called when it is cancelled.
export function CancelButton({ order, done }) {
  const [asking, ask] = useState(false);
  const close = () => ask(false);
  return html`<button type="button" id="cancel" class="quiet" onClick=${() => ask(true)}>${t('cancel_order')}</button>
    ${
      asking &&
      html`<${Cancel} order=${order} close=${close} done=${() => {
        close();
        done();
      }} />`
    }`;
}
