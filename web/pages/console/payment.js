// One payment: what it pays, what the gateway reported, and its flag.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { moment, Time, zoned } from './moment.js';
import { Badge, Table, words } from './parts.js';
import { ClearFlag } from './clear_flag.js';
import { Flag, refundColumns } from './money.js';
import { whoText } from './order.js';
import { sumsText } from './revenue.js';
import { Titled } from './titled.js';

// underWay reports whether money of a payment is on its way back: then its flag is not dealt with yet.
const underWay = (payment) => payment.refunds?.some(({ status }) => status === 'pending');

// stateOf is the state of a payment, which is refunded once its money has arrived.
const stateOf = (payment) => (payment.status === 'refunded' && underWay(payment) ? 'refunding' : payment.status);

function seeRefund() {
  const heading = document.getElementById('refunds');
  heading.focus({ preventScroll: true });
  heading.scrollIntoView();
}

export function Payment({ id }) {
  const { value: payment, error, reload } = useEvery(5000, () => call('GET', `/payments/${encodeURIComponent(id)}`));
  if (!payment) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const amount = (n) => money(n, payment.currency);
  const kind = settled(payment) ? 'quiet' : 'go';
  return html`<div class="row heading">
      <${Titled} title=${t('payment')} code=${payment.pay_number} /><${Badge} state=${stateOf(payment)} />
      <${Flag} payment=${payment} /></div>
    ${
      payment.flag &&
      html`<div class="${settled(payment) ? 'notice' : 'problem'} row" id="flag">
        <p class="grow">${flagText(payment)}</p>
        ${
          underWay(payment)
            ? html`<button type="button" class="quiet" id="see-refund" onClick=${seeRefund}>${t('see_refund')}</button>`
            : html`<${ClearFlag} payment=${payment} then=${reload} kind=${kind} />`
        }</div>`
    }
    <section class="card"><dl class="facts two">
      <div><dt>${t('amount')}</dt><dd><b>${amount(payment.amount)}</b></dd></div>
      <div><dt>${t(underWay(payment) ? 'state_refunding' : 'refunded')}</dt><dd>${amount(payment.refunded_amount)}
        ${besides(payment) && html`<p class="muted" id="besides">${besides(payment)}</p>`}</dd></div>
      <div><dt>${t('buyer')}</dt><dd>${payment.user_id || '–'}</dd></div>
      <div><dt>${t('channel')}</dt><dd>${payment.channel}</dd></div>
      <div><dt>${t('transaction')}</dt><dd>${payment.transaction_id ?? '–'}</dd></div>
      <div><dt>${t('made')}</dt><dd>${moment(payment.created_at)}</dd></div>
      <div><dt>${t('paid_at')}</dt><dd>${moment(payment.paid_at)}</dd></div></dl></section>
    <h2>${t('orders')}</h2>
    <${Table} name=${t('orders')} rows=${payment.parts} columns=${partColumns(amount)} empty=${t('payment_orders_none')}
      keyOf=${(part) => part.order_number} />
    <h2 id="refunds" tabindex="-1">${t('refunds')}</h2>
    <${Table} name=${t('refunds')} rows=${payment.refunds}
      columns=${refundColumns(reload, { expected: amount(payment.amount) })} empty=${t('order_refunds_none')}
      keyOf=${(refund) => refund.refund_number} />
    <h2>${t('disputes')}</h2>
    <${Table} name=${t('disputes')} rows=${payment.disputes} columns=${disputeColumns()} empty=${t('disputes_none')}
      keyOf=${(dispute) => dispute.dispute_id} />
    <h2>${t('reports')}</h2>
    <${Table} name=${t('reports')} rows=${payment.events} columns=${reportColumns(payment)} empty=${t('reports_none')}
      keyOf=${(report) => report.event_id} />`;
}

// wrongOf is the refund of the wrong money that a flag reports, if it does.
const wrongOf = (payment) => payment.refunds.find((refund) => refund.reason === payment.flag);

// settled reports whether nothing is left to do about a flag: the wrong money went back, and the right money is here.
const settled = (payment) => wrongOf(payment)?.status === 'done' && payment.status === 'paid';

// flagText says what a flag reports, with the amounts where the money was another than expected.
function flagText(payment) {
  const paid = wrongOf(payment);
  if (!paid) {
    return t('flag_sentence', { flag: words('flag', payment.flag) });
  }
  const text = t({ done: 'flag_instead_done', failed: 'flag_instead_failed' }[paid.status] ?? 'flag_instead', {
    paid: money(paid.amount, paid.currency),
    expected: money(payment.amount, payment.currency),
    time: moment(paid.done_at),
  });
  return settled(payment) ? `${text} ${t('flag_paid')}` : text;
}

// besides says what went back of money that did not pay this payment, such as money of a wrong amount: it is among the
// refunds, but not part of the refunded amount.
function besides({ transaction_id: own, refunds }) {
  const sums = {};
  for (const refund of refunds) {
    if (refund.transaction_id === own || refund.status === 'failed') continue;
    sums[refund.currency] = (sums[refund.currency] ?? 0) + refund.amount;
  }
  return Object.keys(sums).length > 0 && t('refunded_besides', { amount: sumsText(sums) });
}

const partColumns = (amount) => [
  [t('order'), (p) => html`<a href="#/order/${p.order_number}">${p.order_number}</a>`, 'lead id'],
  [t('amount'), (p) => amount(p.amount), 'number end'],
];

const disputeColumns = () => [
  [t('dispute'), (d) => d.dispute_id, 'lead id'],
  [zoned(t('made')), (d) => html`<${Time} at=${d.opened_at} />`],
  [t('amount'), (d) => money(d.amount, d.currency), 'number'],
  [t('reason'), (d) => d.reason, 'wide'],
  [t('state'), (d) => html`<${Badge} state=${d.state} /> ${d.status}`, 'end'],
  [zoned(t('due')), (d) => html`<${Time} at=${d.due_at} />`, 'named'],
];

// reportColumns are the columns of what the gateway reported, and of what operators did.
const reportColumns = (payment) => [
  [zoned(t('at')), (e) => html`<${Time} at=${e.at} />`],
  [t('what'), (e) => html`${words('outcome', e.outcome)} <${Flag} payment=${e} />`, 'lead'],
  [t('amount'), (e) => (e.currency ? money(e.amount, e.currency) : ''), 'number end'],
  [t('transaction'), (e) => e.transaction_id ?? '', 'cut'],
  [t('by'), (e) => (e.who ? whoText(e.who) : payment.channel)],
  [t('reason'), (e) => e.reason ?? '', 'wide'],
];
