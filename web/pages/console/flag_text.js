// What the flag of a payment reports, in the same words on Today and on the page of the payment. A payment has its
// refunds, or at least those of wrong money.
import { money, t } from '../shared/texts.js';
import { moment } from './moment.js';
import { sentences, words } from './parts.js';

// wrongOf is the refund of the wrong money that a flag reports, if it does.
const wrongOf = ({ flag, refunds = [] }) => refunds.find(({ reason }) => reason === flag);

// settled reports whether nothing is left to do about a flag: the wrong money went back, and the right money is here.
export const settled = (payment) => wrongOf(payment)?.status === 'done' && payment.status === 'paid';

// underWay reports whether money of a payment is on its way back: then its flag is not dealt with yet.
export const underWay = ({ refunds = [] }) => refunds.some(({ status }) => status === 'pending');

const texts = { done: 'flag_instead_done', failed: 'flag_instead_failed' };

// flagText says what a flag reports, with the amounts where the money was another than expected.
export function flagText(payment) {
  const paid = wrongOf(payment);
  if (!paid) return t('flag_sentence', { flag: words('flag', payment.flag) });
  const text = t(texts[paid.status] ?? 'flag_instead', {
    paid: money(paid.amount, paid.currency),
    expected: money(payment.amount, payment.currency),
    time: moment(paid.done_at),
  });
  return settled(payment) ? sentences(text, t('flag_paid', { amount: money(payment.amount, payment.currency) })) : text;
}
