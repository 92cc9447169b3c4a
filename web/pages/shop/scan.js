// A code that pays with another device.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { QR, saveQR } from './qr.js';

// ScanCode is scanned with another device. The camera of a phone doesn't see its own screen: there, the code is saved
// as a picture.
export function ScanCode({ text, amount }) {
  const touch = matchMedia('(pointer: coarse)').matches;
  return html`<div class="scan"><p>${t(touch ? 'pay_scan_saved' : 'pay_scan')}</p><${QR} text=${text} />
    ${
      touch &&
      html`<button type="button" id="save-code" class="go large" onClick=${() => saveQR(text)}>
        ${t('pay_save_code')}</button>`
    }
    <p class="step" role="status">${t('pay_waits', { amount })}</p></div>`;
}
