// What stands in the place of a list that has nothing yet: a sentence that says what would be here, and the first step.
import { html } from '../vendor/preact-htm.js';
import { Icon } from '../shared/icons.js';

/** @param {{ icon: string, text: string, children?: any }} props children are the first step */
export function Empty({ icon, text, children }) {
  return html`<div class="empty"><${Icon} name=${icon} /><p>${text}</p>${children}</div>`;
}
