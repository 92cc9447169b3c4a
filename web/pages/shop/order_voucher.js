// The code of a voucher: to be read, copied, or shown to a scanner.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { copy } from '../shared/copy.js';
import { grouped } from '../shared/grouped.js';
import { QR } from './qr.js';

export function VoucherCode({ code }) {
  const [copied, say] = useState('');
  const press = async () => say(t((await copy(code)) ? 'share_copied' : 'copy_failed'));
  return html`<div class="voucher"><${QR} text=${code} />
    <p><span class="muted">${t('voucher')}</span><code class="grouped">${grouped(code)}</code>
      ${/[OI]/.test(code) && !/[01]/.test(code) && html`<span class="muted">${t('voucher_letters')}</span>`}</p>
    <button type="button" class="large copy" onClick=${press}>${t('copy_code')}</button>
    <p class="muted" aria-live="polite">${copied}</p></div>`;
}
