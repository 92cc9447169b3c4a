// A secret that the server shows once: a key of a program, or what an endpoint checks signatures with.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { copy } from '../shared/copy.js';
import { Dialog } from '../shared/parts.js';

export function Secret({ title, help, secret, close }) {
  const [copied, say] = useState();
  const take = async () => say(await copy(secret));
  return html`<${Dialog} title=${title} close=${close} stays>
    <p>${help}</p><p><code class="secret" id="secret">${secret}</code></p>
    <p role="status">${copied === false && t('copy_failed')}</p>
    <div class="row">
      <button type="button" class="go" id="copy-secret" onClick=${take}>${t(copied ? 'copied' : 'copy')}</button>
      <button type="button" class="quiet" id="close-secret" onClick=${close}>${t('secret_kept')}</button></div><//>`;
}
