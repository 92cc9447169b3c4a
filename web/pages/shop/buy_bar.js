// The bar at the foot of a sale: the button that buys, what it waits for, and what went wrong. On a small window it
// stays in view, so that nothing is decided where the buyer doesn't look.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';

// Steps during which a try can be stopped: nothing is ordered yet, and they may take long.
const stoppable = ['wait', 'line'];

/**
 * @typedef {{ label: string, amount: string, left: [title: string, wanted: number, left: number][],
 *   act: () => void }} Take left are the goods of which fewer are left, and amount is what these cost with the others
 */

/**
 * BuyBar draws the state of the button. error is why the last try ended, stop ends the one that waits, pickUp
 * chooses to pick the goods up, and take orders the units that can be had, where one waits for more.
 *
 * @param {{ button: import('./button.js').Button, step?: string, error?: any, stop: () => void,
 *   pickUp?: () => void, take?: Take }} props
 */
export function BuyBar({ button, step, error, stop, pickUp, take }) {
  return html`<div class="buy-bar">
    <${Problem} error=${error} />
    ${button.warns && html`<p id="reason" class="problem waits" role="status">${button.reason}</p>`}
    <div class="choices">${
      button.pickup &&
      html`<button type="button" id="pick-up" class="go large" onClick=${pickUp}>
        ${t('button_pickup', { point: button.pickup })}</button>`
    }
      <button id="buy" class="${button.quiet || button.pickup ? 'quiet' : 'go'} large"
        aria-disabled=${button.busy ? 'true' : undefined} disabled=${button.disabled}
        aria-describedby="reason">${phrased(button.label)}</button></div>
    <div class="why">${!button.warns && html`<p id="reason" class="muted" role="status">${button.reason}</p>`}
      ${
        take &&
        button.busy &&
        step === 'wait' &&
        html`<button type="button" id="take" class="quiet" onClick=${take.act}>${take.label}</button>`
      }
      ${
        button.busy &&
        stoppable.includes(step) &&
        html`<button type="button" id="stop" class="quiet" onClick=${stop}>${t('stop_waiting')}</button>`
      }</div></div>`;
}
