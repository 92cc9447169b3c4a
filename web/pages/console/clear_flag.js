// Saying that the flag of a payment is dealt with.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action, words } from './parts.js';

// ClearFlag says that an operator has dealt with what the flag of a payment reported.
export function ClearFlag({ payment, then, kind = 'quiet' }) {
  return html`<${Action} route="POST /payments/{pay_number}/clear_flag"
    label=${t('clear_flag')} title=${t('clear_flag')} id="clear-${payment.pay_number}" kind=${kind}
    help=${t('clear_flag_help', { flag: words('flag', payment.flag) })}
    fields=${[{ name: 'reason', label: t('reason'), required: true, maxlength: 200 }]}
    run=${(body, key) => call('POST', `/payments/${payment.pay_number}/clear_flag`, { key, body })} then=${then} />`;
}
