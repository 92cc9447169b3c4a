// The sign above what became of an order, or of a try to order.
import { html } from '../vendor/preact-htm.js';
import { Icon } from '../shared/icons.js';

const icons = { done: 'check', due: 'jobs', over: 'blocked' };

/** @param {{ of: 'done' | 'due' | 'over' | 'runs' }} props runs has no end yet: it turns */
export function Sign({ of }) {
  return html`<p class="sign ${of}" aria-hidden="true">${icons[of] && html`<${Icon} name=${icons[of]} />`}</p>`;
}
