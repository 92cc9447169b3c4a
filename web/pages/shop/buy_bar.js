// The bar at the foot of a sale: the button that buys, what it waits for, and what went wrong. On a small window it
// stays in view, so that nothing is decided where the buyer doesn't look.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Problem } from '../shared/parts.js';

// Steps during which a try can be stopped: nothing is ordered yet, and they may take long.
const stoppable = ['wait', 'line'];

/**
 * BuyBar draws the state of the button. error is why the last try ended, and stop ends the one that waits.
 *
 * @param {{ button: import('./button.js').Button, step?: string, error?: any, stop: () => void }} props
 */
export function BuyBar({ button, step, error, stop }) {
  return html`<div class="buy-bar">
    <${Problem} error=${error} />
    <button id="buy" class="${button.quiet ? 'quiet' : 'go'} large" aria-disabled=${button.busy ? 'true' : undefined}
      disabled=${button.disabled} aria-describedby="reason">${button.label}</button>
    <div class="why"><p id="reason" class="muted" role=${button.counts ? 'timer' : 'status'}>${button.reason}</p>
      ${
        button.busy &&
        stoppable.includes(step) &&
        html`<button type="button" id="stop" class="quiet" onClick=${stop}>${t('stop_waiting')}</button>`
      }</div></div>`;
}
