// The draw of a sale: entering it, and what was drawn.
import { html, useState } from '../vendor/preact-htm.js';
import { clock, number, t } from '../shared/texts.js';
import { server } from '../shared/server.js';
import { Icon } from '../shared/icons.js';
import { Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { Wish } from './wish.js';
import { GiveUp, isOffered } from './wishes.js';

// useAct returns act, which waits for a request and then looks again, and why the last one failed.
function useAct(look) {
  const [error, fail] = useState();
  const act = async (request) => {
    fail(undefined);
    await request.catch(fail);
    look();
  };
  return { act, error };
}

const leave = (sale, entry) => server.withdraw({ activity: sale.activity_id, entry: entry.entry_id });

// Drawn says before all else what has become of the buyer's entries, one for each of the goods. That units are offered
// is said elsewhere.
export function Drawn({ sale, wishes: { entries, look } }) {
  const { act, error } = useAct(look);
  const told = entries.filter((entry) => !isOffered(entry));
  if (told.length === 0) return null;
  return html`<div id="drawn" aria-live="polite">${told.map(
    (entry) => html`<${Outcome} key=${entry.entry_id} sale=${sale} entry=${entry}
      leave=${() => act(leave(sale, entry))} />`,
  )}<${Problem} error=${error} /></div>`;
}

const drawnAt = ({ starts_at: starts, ends_at: ends }) => t('draw_at', { starts: clock(starts), ends: clock(ends) });

// outcomeOf returns what to say of an entry: a title, the sentence below it, and whether the buyer may still leave.
function outcomeOf({ state, rank }, sale) {
  const open = sale.state === 'upcoming';
  if (state === 'entered' && !open) return { title: 'draw_now' };
  if (state === 'entered') return { title: 'draw_entered', said: drawnAt(sale), out: true };
  if (state === 'waiting') {
    const values = { rank: number(rank), until: clock(sale.ends_at) };
    return { title: 'draw_lost', said: t('draw_waiting', values), out: true };
  }
  if (state === 'lost') return { title: 'draw_lost', to: ['#/', 'first_page'] };
  return { title: 'draw_over', said: t('draw_over_why'), to: ['#/orders', 'menu_orders'] };
}

function Outcome({ sale, entry, leave: out }) {
  const is = outcomeOf(entry, sale);
  const goods = sale.skus.find((sku) => sku.sku_id === entry.sku_id)?.title ?? entry.sku_id;
  const good = is.title === 'draw_entered';
  return html`<section class="card ${good ? 'entered' : ''}">
    <h2 class=${good ? 'good' : ''}>${good && html`<${Icon} name="check" /> `}${phrased(t(is.title))}</h2>
    <p class="muted">${goods} × ${number(entry.quantity)}</p>
    ${is.said && html`<p>${is.said}</p>`}
    ${is.to && html`<p class="row acts"><a class="button go large" href=${is.to[0]}>${t(is.to[1])}</a></p>`}
    ${is.out && html`<p><button type="button" class="link" onClick=${out}>${t('draw_leave')}</button></p>`}</section>`;
}

// Draw lets a buyer enter the draw of a sku, give up what is offered, and check the draw. entry is the buyer's entry,
// error why it can't be loaded, and look loads it. Its button is in the bar, unless quiet says that the bar has another
// one.
export function Draw({ sale, sku, quantity, choice, quiet, entry, error: unread, look }) {
  const { act, error } = useAct(look);
  const enter = (onStep) =>
    act(server.enter({ activity: sale.activity_id, sku: sku.sku_id, quantity, ...choice, onStep }));
  const open = !entry && sale.state === 'upcoming';
  return html`<section id="draw" aria-live="polite">
    ${!entry && !open && html`<p>${t('problem_draw_closed')}</p>`}
    <p class="muted"><a href="#/draw/${encodeURIComponent(sale.activity_id)}">${t('draw_check')}</a></p>
    ${entry && isOffered(entry) && html`<${GiveUp} entry=${entry} leave=${() => act(leave(sale, entry))} />`}
    <div class=${open && !quiet ? 'buy-bar' : ''}>
      ${(error ?? unread) && html`<${Problem} error=${error ?? unread} />`}
      ${
        open &&
        html`<${Wish} sale=${sale} label=${t('draw_enter')} primary send=${enter} />
        <p class="muted why" id="enter-free">${t('draw_free')}</p>`
      }</div></section>`;
}
