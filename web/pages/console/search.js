// One box that finds orders, payments, refunds, users and vouchers.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Problem, valuesOf } from '../shared/parts.js';

const addresses = {
  order: (id) => `#/order/${id}`,
  payment: (id) => `#/payment/${id}`,
  refund: (id) => `#/money/refunds?refund_number=${encodeURIComponent(id)}`,
  user: (id) => `#/money/orders?user_id=${encodeURIComponent(id)}`,
  voucher: (id) => `#/voucher/${encodeURIComponent(id)}`,
};

export function Search() {
  const [state, set] = useState({});
  const search = async (e) => {
    e.preventDefault();
    const { q } = valuesOf(e.target);
    if (!q) return;
    try {
      const { items } = await call('GET', `/search?q=${encodeURIComponent(q)}`);
      if (items.length === 1) {
        location.hash = addresses[items[0].kind](items[0].id);
        set({});
      } else {
        set({ items });
      }
    } catch (error) {
      set({ error });
    }
  };
  return html`<form class="search" role="search" onSubmit=${search}>
    <label class="hidden" for="search">${t('search')}</label>
    <input id="search" name="q" type="search" maxlength="64" placeholder=${t('search_short')} title=${t('search')}
      autocomplete="off" onKeyDown=${(e) => e.key === 'Escape' && set({})} />
    <div class="found" aria-live="polite"><${Problem} error=${state.error} />
      ${
        state.items &&
        html`<ul>${state.items.length === 0 && html`<li class="muted">${t('search_none')}</li>`}
        ${state.items.map(
          (hit) => html`<li><a href=${addresses[hit.kind](hit.id)} onClick=${() => set({})}>
          ${t(`hit_${hit.kind}`)} ${hit.id}</a></li>`,
        )}</ul>`
      }</div></form>`;
}
