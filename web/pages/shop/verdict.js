// What became of an order that was sent: it is on its way, or there is none, why, and what the buyer does now. These
// views take the place of the whole sale. An order that was placed has a view of its own.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { money, number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Picture, Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { backOf } from './button.js';
import { Sign } from './sign.js';

// nexts say what to do after a refusal that is final, by its code. Others are mended in the form, or by trying again.
const nexts = {
  sold_out: 'others',
  no_stock: 'others',
  sold_out_unpaid_pending: 'others',
  purchase_limit: 'orders',
  over_limit: 'orders',
  too_many_unpaid_orders: 'unpaid',
  blocked: 'sales',
  not_in_segment: 'sales',
  not_admitted: 'sales',
  ended: 'sales',
  offline: 'sales',
  discarded: 'again',
  failed: 'again',
  no_permit: 'again',
};

const titles = {
  sold_out: 'gone',
  blocked: 'closed',
  not_in_segment: 'closed',
  discarded: 'failed',
  failed: 'failed',
};
const signs = { closed: 'blocked', failed: 'wrong', some: 'due', first: 'due', for_now: 'due' }; // by the title

// titleOf names the title of a refusal, by what can be done next and by its code.
const titleOf = (next, code) => ({ take: 'some', unpaid: 'first', wait: 'for_now' })[next] ?? titles[code] ?? 'not';

// whole are the titles that leave nothing to say of a refusal.
const whole = ['gone', 'for_now'];

// isFinal reports whether an error means that this try has no order.
export const isFinal = (error) => Boolean(error && error.code in nexts);

// isSent reports whether an order may have been placed by a try that is under way.
export const isSent = ({ running, step }) => Boolean(running && ['submit', 'task', 'stored'].includes(step));

/** @typedef {[sku: any, units: number][]} Wanted the goods that the buyer wanted, the chosen ones first */

// Verdict frames a view about goods. It has the focus, so that it is in view and read out.
function Verdict({ wanted, sign, kind = '', children }) {
  const view = useRef();
  const [[sku]] = wanted;
  const worth = wanted.reduce((sum, [each, units]) => sum + each.flash_price * units, 0);
  useEffect(() => {
    view.current.focus({ preventScroll: true });
    view.current.scrollIntoView({ block: 'center' });
  }, []);
  return html`<section class="card narrow verdict ${kind}" ref=${view} tabindex="-1">
    <${Sign} of=${sign} />${children}
    <div class="asked-for"><p class="muted">${t('verdict_asked')}</p>
      <div class="waiting-for"><${Picture} url=${sku.image_url} title=${sku.title} />
      <span>${wanted.map(([each, units]) => html`<b>${each.title}</b> × ${number(units)}<br />`)}
        <span class="muted">${money(worth, sku.currency)}</span></span></div></div></section>`;
}

// useUnpaid returns the number of the buyer's order of a sale that is to be paid, once it is known that there is one.
function useUnpaid(sale, wanted) {
  const find = async () => {
    if (!wanted) return undefined;
    const { items } = await call('GET', '/orders?status=unpaid&page_size=100');
    return items.find((order) => order.activity_id === sale.activity_id)?.order_number;
  };
  return useLoad(find, [wanted]).value;
}

/** @param {{ wanted: Wanted, button: import('./button.js').Button }} props */
export function Pending({ wanted, button }) {
  return html`<${Verdict} wanted=${wanted} sign="runs" kind="pending">
    <div role="status"><h1>${phrased(button.label)}</h1></div>
    <p>${button.reason || t('button_once')}</p><//>`;
}

// Fewer shows of which goods fewer are left than the buyer wanted.
function Fewer({ left }) {
  return html`<table class="fewer"><thead><tr><td></td><th scope="col">${t('verdict_asked')}</th>
      <th scope="col">${t('verdict_have')}</th></tr></thead>
    <tbody>${left.map(
      ([title, wanted, units]) => html`<tr><th scope="row">${title}</th><td>${number(wanted)}</td>
        <td><b>${number(units)}</b></td></tr>`,
    )}</tbody></table>`;
}

/**
 * Refused says why there is no order. left is whether the sale has goods that can be had, take orders the units that
 * can be had, where the buyer wanted more, wait waits for units that may come back, again buys once more, and back
 * leads to its form.
 *
 * @param {{ sale: any, wanted: Wanted, error: any, left: boolean,
 *   take?: import('./buy_bar.js').Take, wait?: () => void, again: () => void, back: () => void }} props
 */
export function Refused({ sale, wanted, error, left, take, wait, again, back }) {
  const unpaid = useUnpaid(sale, nexts[error.code] === 'orders');
  const orders = unpaid ? [`#/order/${unpaid}`, 'verdict_pay'] : ['#/orders', 'menu_orders'];
  const links = { orders, unpaid: ['#/orders?status=unpaid', 'verdict_pay_all'], sales: ['#/', 'first_page'] };
  const gone = nexts[error.code] === 'others';
  const next = gone && take ? 'take' : gone && wait ? 'wait' : gone && !left ? 'sales' : nexts[error.code];
  const [address, text] = links[next] ?? [];
  const fewer = next === 'take' && take.left.length > 0;
  const title = titleOf(next, error.code);
  const [[sku]] = wanted;
  return html`<${Verdict} wanted=${wanted} sign=${signs[title] ?? 'over'}>
    <h1>${phrased(t(`verdict_${title}`, { title: sku.title }))}</h1>
    ${
      fewer
        ? html`<${Fewer} left=${take.left} /><p>${t('verdict_take')}</p>`
        : html`${!whole.includes(title) && error.code !== 'blocked' && html`<${Problem} error=${error} />`}
            <p>${t(`verdict_${next}`, { back: backOf(sku) })}</p>`
    }
    <div class="row acts">
      ${address && html`<a class="button go large" href=${address}>${t(text)}</a>`}
      ${
        take &&
        next === 'take' &&
        html`<button type="button" id="take" class="go large" onClick=${take.act}>
          ${fewer ? t('verdict_take_these', { amount: take.amount }) : take.label}</button>`
      }
      ${
        next === 'wait' &&
        html`<button type="button" id="wait" class="go large" onClick=${wait}>${t('wait_unit')}</button>`
      }
      ${
        next === 'again' &&
        html`<button type="button" id="again" class="go large" onClick=${again}>${t('retry')}</button>`
      }
      ${
        error.code !== 'blocked' &&
        html`<button type="button" id="back" class=${next === 'others' ? 'go large' : 'quiet'} onClick=${back}>
          ${t(next === 'others' ? 'verdict_left' : 'buy_again')}</button>`
      }</div><//>`;
}
