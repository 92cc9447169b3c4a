// The heading of a view of one thing that has a long number or code.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { copy } from '../shared/copy.js';
import { grouped } from '../shared/grouped.js';
import { say } from './toast.js';

// Titled says what a thing is, beside that how it is, in badges, and below that its number or code, with a button that
// copies it.
export function Titled({ title, code, children }) {
  const press = async () => say(t((await copy(code)) ? 'copied' : 'copy_failed'));
  return html`<div class="titled"><div class="row"><h1>${title}</h1>${children}</div>
    <p class="row"><code class="grouped" id="titled-code">${grouped(code)}</code>
      <button type="button" class="link" id="copy-code" onClick=${press}>${t('copy')}</button></p></div>`;
}
