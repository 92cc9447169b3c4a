// The draw of a sku: entering it, and what was drawn.
import { html, useState } from '../vendor/preact-htm.js';
import { moment, number, t } from '../shared/texts.js';
import { server } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { Icon } from '../shared/icons.js';
import { Problem } from '../shared/parts.js';
import { Wish } from './wish.js';
import { leftOf } from './wishes.js';

// Draw lets a buyer take part in the draw of a sku, and says what was drawn. entry is the buyer's entry, error why it
// can't be loaded, and look loads it. Its button is in the bar, unless quiet says that the bar has another one.
export function Draw({ sale, sku, quantity, choice, quiet, entry, error: unread, look }) {
  const [error, fail] = useState();
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    look();
  };
  const enter = (onStep) =>
    act(server.enter({ activity: sale.activity_id, sku: sku.sku_id, quantity, ...choice, onStep }));
  const leave = () => act(server.withdraw({ activity: sale.activity_id, entry: entry.entry_id }));
  const result = ownPath(`/api/v1/seckill/draws/${encodeURIComponent(sale.activity_id)}/result`);
  const open = !entry && sale.state === 'upcoming';
  return html`<section id="draw" aria-live="polite"><div class="card">
      ${entry ? html`<${Entry} sale=${sale} entry=${entry} leave=${leave} />` : html`<${Open} sale=${sale} />`}
      <p class="muted"><a href=${result} target="_blank">${t('draw_check')}</a></p></div>
    <div class=${open && !quiet ? 'buy-bar' : ''}>
      ${(error ?? unread) && html`<${Problem} error=${error ?? unread} />`}
      ${open && html`<${Wish} sale=${sale} label=${t('draw_enter')} primary send=${enter} />`}</div></section>`;
}

// Open says until when buyers enter.
function Open({ sale }) {
  if (sale.state !== 'upcoming') return html`<p>${t('problem_draw_closed')}</p>`;
  return html`<p>${t('draw_why', { at: moment(sale.starts_at) })}</p>`;
}

// Entry is what has become of the buyer's entry. That it is offered stands at the head of the sale.
function Entry({ sale, entry, leave }) {
  const { state, rank } = entry;
  const out = (label, kind) => html`<p><button type="button" class=${kind} onClick=${leave}>${t(label)}</button></p>`;
  if (state === 'entered') {
    if (sale.state !== 'upcoming') return html`<p><b>${t('draw_now')}</b></p>`;
    return html`<p class="good"><${Icon} name="check" /> <b>${t('draw_entered')}</b></p>
      <p>${t('draw_at', { at: moment(sale.starts_at) })}</p>${out('draw_leave', 'quiet')}`;
  }
  if (state === 'waiting') {
    return html`<p><b>${t('draw_lost')}</b></p>
      <p class="muted">${t('draw_waiting', { rank: number(rank) })}</p>${out('draw_leave', 'quiet')}`;
  }
  if (state === 'offered' && leftOf(entry) > 0) return out('offer_give_up', 'link');
  return html`<p><b>${t(state === 'lost' ? 'draw_lost' : 'draw_over')}</b></p>`;
}
