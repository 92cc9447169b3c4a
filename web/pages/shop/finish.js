// What is left to do of a payment that was begun: a code to scan, or a form to fill in.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { Problem } from '../shared/parts.js';
import { QR } from './qr.js';
import { StripeForm } from './stripe.js';

// Finish shows the next step of an open payment that has no page of its own.
export function Finish({ payment, label }) {
  const { params } = payment.next;
  if (params?.code_url) return html`<p>${t('pay_scan')}</p><${QR} key=${params.code_url} text=${params.code_url} />`;
  if (params?.client_secret && settings.stripe) {
    return html`<${StripeForm} key=${params.client_secret} params=${params} label=${label} />`;
  }
  return html`<${Problem} error=${{ code: '', message: t('pay_form_missing') }} />`;
}
