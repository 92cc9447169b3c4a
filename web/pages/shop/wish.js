// The button by which a buyer joins a waiting list or enters a draw.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

// Wish sends a wish when it is pressed, and says that the human check of the sale is being done. send takes onStep of
// the client. This page can't show a captcha.
export function Wish({ sale, label, primary = false, send }) {
  const [checks, told] = useState(false);
  if (sale.human_check === 'captcha') return html`<p class="muted">${t('reason_captcha')}</p>`;
  const press = () => send(() => told(true)).finally(() => told(false));
  return html`<p class="row"><button type="button" class=${primary ? 'go large' : ''} disabled=${checks}
    onClick=${press}>${label}</button>
    ${checks && html`<span class="muted">${t('step_human_check')}</span>`}</p>`;
}
