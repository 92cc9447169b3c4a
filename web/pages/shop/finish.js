// What is left to do of a payment that was begun: a code to scan, or a form to fill in.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { settings } from '../shared/settings.js';
import { Problem } from '../shared/parts.js';
import { Later } from './later.js';

// Finish shows the next step of an open payment that has no page of its own. amount is what is to be paid.
export function Finish({ payment, amount }) {
  const { params } = payment.next;
  if (params?.code_url) {
    return html`<${Later} name="ScanCode" key=${params.code_url} text=${params.code_url} amount=${amount} />`;
  }
  if (params?.client_secret && settings.stripe) {
    const label = t('pay', { amount });
    return html`<${Later} name="StripeForm" key=${params.client_secret} params=${params} label=${label} />`;
  }
  return html`<${Problem} error=${{ code: '', message: t('pay_form_missing') }} />`;
}
