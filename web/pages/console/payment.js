// One payment: what it pays, what the gateway reported, and its flag.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { moment, Time, zoned } from './moment.js';
import { Badge, Table, To, words } from './parts.js';
import { ClearFlag } from './clear_flag.js';
import { flagText, settled, underWay } from './flag_text.js';
import { Flag, isCleared, refundColumns } from './money.js';
import { whoText } from './order.js';
import { sumsText } from './revenue.js';
import { Titled } from './titled.js';
import { Back } from './ways.js';

// stateOf is the state of a payment, which is refunded once its money has arrived.
const stateOf = (payment) => (payment.status === 'refunded' && underWay(payment) ? 'refunding' : payment.status);

// own are the refunds of the money that paid a payment; others are of money such as that of a wrong amount.
const own = ({ transaction_id: id, refunds }) => refunds.filter((refund) => refund.transaction_id === id);

const Buyer = ({ id }) =>
  html`<${To} route="GET /users/{user_id}/trail" href="#/user/${encodeURIComponent(id)}">${id}<//>`;

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
  return html`<${Back} href="#/money/payments" route="GET /payments">${t('payments')}<//>
    <div class="row heading">
      <${Titled} title=${t('payment')} code=${payment.pay_number}><${Badge} state=${stateOf(payment)} />
        <${Flag} payment=${payment} /><//></div>
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
      <div><dt>${t(underWay({ refunds: own(payment) }) ? 'state_refunding' : 'refunded')}</dt>
        <dd>${amount(payment.refunded_amount)}
        ${besides(payment) && html`<p class="muted" id="besides">${besides(payment)}</p>`}</dd></div>
      <div><dt>${t('buyer')}</dt><dd>${payment.user_id ? html`<${Buyer} id=${payment.user_id} />` : '–'}</dd></div>
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

// besides says what goes back of money that did not pay this payment, such as money of a wrong amount: it is among the
// refunds, but not part of the refunded amount.
function besides(payment) {
  const others = payment.refunds.filter((refund) => !own(payment).includes(refund) && refund.status !== 'failed');
  const sums = {};
  for (const { currency, amount } of others) sums[currency] = (sums[currency] ?? 0) + amount;
  const reason = [...new Set(others.map((refund) => t(`refund_${refund.reason}`)))].join('; ');
  const key = underWay({ refunds: others }) ? 'refunding_besides' : 'refunded_besides';
  return others.length > 0 && t(key, { amount: sumsText(sums), reason });
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
  [t('amount'), (e) => (e.currency && !isCleared(e) ? money(e.amount, e.currency) : ''), 'number end'],
  [t('transaction'), (e) => e.transaction_id ?? '', 'cut'],
  [t('by'), (e) => (e.who ? whoText(e.who) : payment.channel)],
  [t('reason'), (e) => e.reason ?? '', 'wide'],
];
