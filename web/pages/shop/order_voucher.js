// The code of a voucher: to be read, copied, or shown to a scanner.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { copy } from '../shared/copy.js';
import { QR } from './qr.js';

export function VoucherCode({ code }) {
  const [copied, say] = useState('');
  const press = async () => say(t((await copy(code)) ? 'share_copied' : 'copy_failed'));
  return html`<div class="voucher"><p>${t('voucher')} <code>${code}</code></p><${QR} text=${code} />
    <p class="row"><button type="button" class="quiet copy" onClick=${press}>${t('copy_code')}</button>
      <span class="muted" aria-live="polite">${copied}</span></p></div>`;
}
