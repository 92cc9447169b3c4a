// Saying that the flag of a payment is dealt with.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { settled } from './flag_text.js';
import { Action, words } from './parts.js';

// ClearFlag says that an operator has dealt with what the flag of a payment reported, or has seen that nothing is left
// to do.
export function ClearFlag({ payment, then, kind = 'quiet' }) {
  const { pay_number: number, flag } = payment;
  const clear = (reason, key) => call('POST', `/payments/${number}/clear_flag`, { key, body: { reason } });
  const done = t('done_flag_cleared');
  const [route, id] = ['POST /payments/{pay_number}/clear_flag', `clear-${number}`];
  if (settled(payment)) {
    return html`<${Action} ...${{ route, id, kind, then, done }} label=${t('flag_seen')}
      run=${(_, key) => clear(t('flag_seen'), key)} />`;
  }
  return html`<${Action} ...${{ route, id, kind, then, done }} label=${t('clear_flag')} title=${t('clear_flag')}
    help=${t('clear_flag_help', { flag: words('flag', flag) })}
    fields=${[{ name: 'reason', label: t('reason'), required: true, maxlength: 200 }]}
    run=${({ reason }, key) => clear(reason, key)} />`;
}
