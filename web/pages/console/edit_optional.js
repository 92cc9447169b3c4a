// A section of the form of a sale that most sales do without.
import { html, useRef } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

// Optional is folded until it is used, or something in it is wrong; then it stays open.
/** @param {any} props */
export function Optional({ id, title, used, wrong = false, children }) {
  const opened = useRef(false);
  opened.current ||= used || wrong;
  return html`<section class="card" id=${id}>
    <details class="optional" open=${opened.current} onInvalidCapture=${(e) => {
      e.currentTarget.open = true;
    }}><summary><h2>${title}</h2>${!used && html` <span>${t('optional_none')}</span>`}</summary>${children}</details>
  </section>`;
}
