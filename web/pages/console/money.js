// Orders, payments and refunds, each with filters, and what orders add up to; the box above finds one by its number.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { withRefunds } from './attention.js';
import { settled } from './flag_text.js';
import { may } from './me.js';
import { Time, zoned } from './moment.js';
import { Action, Badge, emptyText, Filters, List, queryOf, Table, Tabs, useFilters, usePages, words } from './parts.js';
import { choices, Download } from './list_parts.js';
import { Attribution } from './attribution.js';
import { Orders } from './orders.js';
import { refundChoices, RefundState, RefundWords } from './refund_state.js';

export function Money({ id, query }) {
  const lists = { orders: Orders, payments: Payments, refunds: Refunds, attribution: Attribution };
  const current = id in lists ? id : 'orders';
  const Current = lists[current];
  return html`<h1>${t('menu_money')}</h1>
    <${Tabs} name=${t('menu_money')} current=${current}
      tabs=${Object.keys(lists).map((name) => [`#/money/${name}`, t(name), name])} />
    <${Current} query=${query} />`;
}

const days = () => [
  { name: 'from', label: t('from_day'), type: 'date' },
  { name: 'to', label: t('to_day'), type: 'date' },
];

function Payments({ query }) {
  const [filters, setFilters] = useFilters('money/payments', query, { status: '', user_id: '', flagged: '' });
  const list = useRefunds(usePages('/payments', queryOf(filters)));
  const fields = [
    { name: 'status', label: t('state'), options: choices(['pending', 'paid', 'refunding', 'refunded', 'closed']) },
    {
      name: 'flagged',
      label: t('flag'),
      options: [
        ['', t('all')],
        ['true', t('flagged')],
        ['false', t('not_flagged')],
      ],
    },
    { name: 'user_id', label: t('buyer'), maxlength: 64 },
    { name: 'channel', label: t('channel'), maxlength: 16 },
    ...days(),
  ];
  const columns = [
    [t('payment'), (p) => html`<a href="#/payment/${p.pay_number}">${p.pay_number}</a>`, 'lead id'],
    [zoned(t('made')), (p) => html`<${Time} at=${p.created_at} />`, 'when'],
    [t('buyer'), (p) => p.user_id, 'cut'],
    [t('channel'), (p) => p.channel],
    [t('amount'), (p) => money(p.amount, p.currency), 'number'],
    [t('refunded'), (p) => (p.refunded_amount ? money(p.refunded_amount, p.currency) : '–'), 'number named'],
    [t('state'), (p) => html`<${Badge} state=${p.status} /> <${Flag} payment=${p} />`, 'end'],
  ];
  return html`<div class="row"><${Filters} fields=${fields} values=${filters} change=${setFilters} />
      <${Download} path="/payments.csv" filters=${queryOf(filters)} /></div>
    <${List} list=${list} name=${t('payments')} columns=${columns} empty=${emptyText('payments', queryOf(filters))}
      keyOf=${(p) => p.pay_number} />`;
}

function Refunds({ query }) {
  const found = new URLSearchParams(query).get('refund_number');
  return found ? html`<${FoundRefund} number=${found} />` : html`<${AllRefunds} query=${query} />`;
}

// FoundRefund is the one refund that was searched for.
function FoundRefund({ number }) {
  const { value, error, reload } = useEvery(5000, () => call('GET', `/refunds/${encodeURIComponent(number)}`));
  return html`<p><a href="#/money/refunds">${t('all')}</a></p><${Problem} error=${error} retry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${
      value &&
      html`<${Table} name=${t('refunds')} columns=${refundColumns(reload)} rows=${[value]}
      keyOf=${(r) => r.refund_number} />`
    }`;
}

function AllRefunds({ query }) {
  const [filters, setFilters] = useFilters('money/refunds', query, { status: '', waits_for: '' });
  const all = usePages('/refunds', queryOf(filters));
  const refundOptions = [['', t('all')], ...refundChoices(['pending', 'done', 'failed'])];
  const fields = [
    { name: 'status', label: t('state'), options: refundOptions },
    {
      name: 'waits_for',
      label: t('waits_for'),
      options: [
        ['', t('all')],
        ['gateway', t('waits_gateway')],
        ['balance', t('waits_balance')],
        ['dispute', t('waits_dispute')],
      ],
    },
    { name: 'channel', label: t('channel'), maxlength: 16 },
    { name: 'order_number', label: t('order'), maxlength: 19, inputmode: 'numeric' },
    ...days(),
  ];
  return html`<div class="row"><${Filters} fields=${fields} values=${filters} change=${setFilters} />
      <${RefundWords} /><${RetryAll} again=${all.reload} />
      <${Download} path="/refunds.csv" filters=${queryOf(filters)} /></div>
    <${List} list=${all} name=${t('refunds')} columns=${refundColumns(all.reload)}
      empty=${emptyText('refunds', queryOf(filters))} keyOf=${(r) => r.refund_number} />`;
}

// RetryAll sends all refunds again, where one failed or has waited for long.
function RetryAll({ again }) {
  const { value, reload } = useEvery(5000, () => call('GET', '/refunds?needs_person=true&page_size=1'));
  if (!value?.items.length) return null;
  const then = () => {
    reload();
    again();
  };
  return html`<${Action} route="POST /refunds:retry"
    label=${t('retry_all')} title=${t('retry_all')} help=${t('retry_all_help')} id="retry-all"
    run=${(_, key) => call('POST', '/refunds:retry', { key, body: {} })} then=${then}
    done=${t('done_retried')} />`;
}

// isCleared reports whether what is said of a payment is that its flag was dealt with.
export const isCleared = ({ outcome }) => outcome === 'flag_cleared';

// Flag is the flag of a payment in a few words; the view of the payment says it in a sentence. It is red while there is
// something to do about it.
export function Flag({ payment }) {
  const { flag, outcome } = payment;
  if (!flag) return null;
  const [short, back] = [words('flag_short', flag), settled(payment)];
  return html`<span class=${`badge ${back || isCleared({ outcome }) ? '' : 'bad'}`} title=${words('flag', flag)}>
    ${back ? t('flag_short_back', { flag: short }) : short}</span>`;
}

// useRefunds adds to the flagged payments of a list the refunds by which their flags are settled.
function useRefunds(list) {
  const [refunded, set] = useState([]);
  useEffect(() => {
    const flagged = list.items.filter(({ flag }) => flag);
    if (flagged.length > 0 && may('GET /refunds')) withRefunds(flagged).then(set, () => {});
  }, [list.items]);
  const items = list.items.map((p) => refunded.find(({ pay_number: number }) => number === p.pay_number) ?? p);
  return { ...list, items };
}

// ReportRefund says how a refund ended that the shop carries out.
function ReportRefund({ refund, then }) {
  const { refund_number: id, amount, currency, order_number: order, pay_number: pay } = refund;
  const ends = refundChoices(['done', 'failed']);
  const status = { name: 'status', label: t('state'), type: 'choice', options: ends };
  const more = {
    done: { name: 'reference', label: t('refund_reference_optional'), maxlength: 200 },
    failed: { name: 'reason', label: t('why'), maxlength: 200, required: true },
  };
  const fieldsOf = ({ status: end }) => (end ? [status, more[end]] : [status]);
  const buttonOf = ({ status: end }) => t(end ? `refund_report_${end}` : 'refund_report_go');
  const run = (typed, key) => call('POST', `/refunds/${id}/report`, { key, body: { ...typed, amount, currency } });
  return html`<${Action} route="POST /refunds/{refund_number}/report" label=${t('refund_report')} id="report-${id}"
    title=${t('refund_report_title', { amount: money(amount, currency) })}
    help=${t('refund_report_help', { order: order || pay })} button=${buttonOf} fields=${fieldsOf}
    run=${run} then=${then} done=${t('done_reported')} />`;
}

// refundColumns are the columns of refunds, with what can be done; again reads them again. Where all are of one payment
// expected is its amount; where all are of one order, there is no column for it.
/** @param {any} again @param {any} [of] */
export function refundColumns(again, { expected, ofOne } = {}) {
  const order = [
    t('order'),
    (r) =>
      r.order_number
        ? html`<a href="#/order/${r.order_number}">${r.order_number}</a>`
        : html`<a href="#/payment/${r.pay_number}">${t('whole_payment')}</a>`,
  ];
  const wrong = (r) => expected && r.reason === 'wrong_amount';
  const reasonOf = (r) => html`
    ${wrong(r) ? t('refund_instead', { paid: money(r.amount, r.currency), expected }) : t(`refund_${r.reason}`)}
    ${r.operator_reason && html`<p class="muted">${r.operator_reason}</p>`}`;
  return [
    [t('refund'), (r) => r.refund_number, 'lead id'],
    [zoned(t('made')), (r) => html`<${Time} at=${r.created_at} />`, 'when'],
    ...(ofOne ? [] : [order]),
    [t('amount'), (r) => money(r.amount, r.currency), 'number'],
    [t('reason'), reasonOf, 'wide reason'],
    [
      t('state'),
      (r) => html`<${RefundState} status=${r.status} />
      ${r.last_error && html`<p class=${r.status === 'failed' ? 'bad' : 'muted'}>${r.last_error}</p>`}`,
      'end',
    ],
    [
      '',
      (r) =>
        r.status !== 'done' &&
        !r.gateway_refund_id &&
        (r.channel === 'outside'
          ? html`<${ReportRefund} refund=${r} then=${again} />`
          : html`
      <${Action} route="POST /refunds/{refund_number}/retry" label=${t('try_again')} id="retry-${r.refund_number}"
        run=${(_, key) => call('POST', `/refunds/${r.refund_number}/retry`, { key })} then=${again}
        done=${t('done_retried')} />`),
      'tools',
    ],
  ];
}
