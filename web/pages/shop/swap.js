// Taking another sku of the sale, such as another size, for an order.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, server, useLoad } from '../shared/server.js';
import { Dialog, Problem } from '../shared/parts.js';
import { msUntil } from '../shared/sale_figures.js';

// mayChange reports whether an order may be swapped, as far as it says itself.
function mayChange({ activity_id: sale, items, status, fulfilment, refunded_amount: back, ...order }) {
  if (!sale || items.length !== 1 || fulfilment || back > 0) return false;
  return status === 'unpaid' ? msUntil(order.pay_before) > 0 : status === 'paid' && Boolean(order.address);
}

// othersIn returns the skus of a sale for which an order of it may be swapped, as far as its page says.
function othersIn(sale, item) {
  const own = sale.skus.find((sku) => sku.sku_id === item.sku_id);
  const sells = sale.state === 'running' && !sale.paused && !sale.stopped;
  if (!own || !sells || sale.offer_within_s || sale.limit_key) return [];
  return sale.skus.filter(
    (sku) =>
      sku !== own &&
      !sku.sold_out &&
      !sku.parts &&
      !sku.sold_out_points?.includes(item.point_id) &&
      (sku.point_ids?.includes(item.point_id) ?? true) &&
      sku.flash_price === item.price &&
      sku.currency === own.currency &&
      sku.kind === own.kind &&
      sku.freight.fee === own.freight.fee &&
      sku.freight.free_over === own.freight.free_over,
  );
}

// Swap is a button that asks for which sku the order is swapped, where there is one. done is called once it is.
export function Swap({ order, done }) {
  return mayChange(order) ? html`<${Choices} order=${order} done=${done} />` : null;
}

function Choices({ order, done }) {
  const [item] = order.items;
  const { value: sale, reload } = useLoad(() => call('GET', `/activities/${encodeURIComponent(order.activity_id)}`));
  const [asked, ask] = useState(); // the skus of the open dialog: none of them goes away while the buyer chooses
  const [taken, take] = useState('');
  const others = sale ? othersIn(sale, item) : [];
  const said = taken && html`<span role="status" id="swapped">${t('swap_done', { title: taken })}</span>`;
  if (others.length === 0 && !asked) return said;
  const close = () => {
    ask();
    reload(); // others buy meanwhile
  };
  return html`<button type="button" id="swap" class="quiet" onClick=${() => ask(others)}>${t('swap')}</button>${said}
    ${
      asked &&
      html`<${Choice} order=${order} others=${asked} close=${close} done=${(title) => {
        close();
        take(title);
        done();
      }} />`
    }`;
}

function Choice({ order, others, close, done }) {
  const [state, set] = useState({});
  const running = useRef(false);
  const send = async (e) => {
    e.preventDefault();
    if (running.current) return;
    running.current = true;
    const sku = String(new FormData(e.target).get('sku_id'));
    set({ busy: true });
    try {
      await server.swap({ order: order.order_number, sku });
      done(others.find((other) => other.sku_id === sku)?.title ?? sku);
    } catch (error) {
      set({ error });
    }
    running.current = false;
  };
  const choice = (sku) => html`<label class="row" key=${sku.sku_id}><input type="radio" name="sku_id" required
      value=${sku.sku_id} /> ${sku.title}</label>`;
  return html`<${Dialog} title=${t('swap_title')} close=${close}><form onSubmit=${send}>
    <p class="muted">${t('swap_help')}</p>${others.map(choice)}<${Problem} error=${state.error} />
    <div class="row acts">
      <button class="go" aria-disabled=${state.busy ? 'true' : undefined}>${t('swap_do')}</button>
      <button type="button" class="quiet" onClick=${close}>${t('cancel')}</button></div></form><//>`;
}
