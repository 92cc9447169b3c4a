// The sign above what became of an order, or of a try to order.
import { html } from '../vendor/preact-htm.js';
import { Icon } from '../shared/icons.js';

const icons = { done: 'check', due: 'jobs', over: 'cross', wrong: 'alert', blocked: 'blocked' };

/**
 * @param {{ of: 'done' | 'due' | 'over' | 'wrong' | 'blocked' | 'runs' }} props due can still be had, wrong is a
 *   mistake of the shop, and runs has no end yet: it turns
 */
export function Sign({ of }) {
  return html`<p class="sign ${of}" aria-hidden="true">${icons[of] && html`<${Icon} name=${icons[of]} />`}</p>`;
}
