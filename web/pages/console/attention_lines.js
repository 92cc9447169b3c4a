// The lines of what needs a person: each {key, text, at, action}.
import { html } from '../vendor/preact-htm.js';
import { duration, has, money, number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { driftOf, msUntil } from '../shared/sale_figures.js';
import { Action, age, words } from './parts.js';
import { checkText } from './check_text.js';
import { ClearFlag } from './clear_flag.js';
import { flagText, underWay } from './flag_text.js';
import { offText, SwitchOn } from './endpoint_parts.js';
import { unavailable } from './health.js';
import { may } from './me.js';
import { gatesSign } from './readiness.js';
import { Repair } from './repair.js';
import { jobText, stops } from './job_words.js';
import { saleText, startsSoon, stateOf } from './sales.js';
import { degradeText, GoOn, TurnOn } from './standing.js';

const write = 'PUT /activities/{activity_id}';
const longQueue = 10_000; // ms that an order may wait until it is stored
const wrongClock = 5000; // ms

// linesOf turns what was read, and the sales that are followed, into lines. The worst come first.
export function linesOf(read, followed, again) {
  const kinds = [
    storeLines,
    settingsLines,
    instanceLines,
    saleLines,
    queueLines,
    jobLines,
    moneyLines,
    deadLines,
    voucherLines,
    endpointLines,
  ];
  return kinds.flatMap((lines) => lines(read, again, followed));
}

// toHealth leads down to the stores and the instances.
const toHealth = () => html`<button type="button" class="link" onClick=${seeHealth}>${t('show_health')}</button>`;

function seeHealth() {
  /** @type {HTMLElement} */
  const heading = document.querySelector('#health h2');
  if (!heading) {
    location.hash = '#/'; // another view shows the line
    return;
  }
  heading.focus({ preventScroll: true });
  heading.scrollIntoView();
}

// instanceLines are of instances that have gone without stopping, or that reach no store.
const instanceLines = (read) =>
  (read.instances?.items ?? [])
    .filter((instance) => ['lost', 'down'].includes(instance.status))
    .map((instance) => ({
      key: `instance-${instance.name}`,
      at: instance.seen_at,
      text: html`${t(`attention_instance_${instance.status}`, { name: instance.name })}${' '}
        <span class="muted">${t(`instance_${instance.status}_means`)}</span>`,
      action: toHealth(),
    }));

// storeLines are of stores that are away, and of work that stands still. That of a paused job has a line of its own.
function storeLines(read) {
  const paused = (read.jobs?.items ?? []).filter((job) => job.paused);
  const texts = read.stores?.unavailable ?? [];
  return texts
    .filter((text) => !paused.some((job) => text.endsWith(`: ${job.name} is paused`)))
    .map((text) => {
      const { name, reason } = unavailable(text);
      const said = name === 'queue' ? t('instance_stands') : t('attention_store', { name: words('store', name) });
      const means = `away_means_${name}`;
      return {
        key: `store-${text}`,
        text: html`${said} <span class="muted">${has(means) && t(means)}</span><${Raw} text=${reason} />`,
        action: toHealth(),
      };
    });
}

// Raw is what the server or another program says of a line, as it says it.
const Raw = ({ text }) => text && html` <span class="muted raw">${text}</span>`;

// settingsLines say that operators stopped all sales, or turned a part of the program off.
function settingsLines(read) {
  const { sales_stopped: stopped, degrade } = read.settings?.in_force ?? {};
  const link = html`<a href="#/settings">${t('show_settings')}</a>`;
  const lines = [];
  if (stopped) {
    lines.push({
      key: 'stopped',
      text: t('sales_are_stopped'),
      action: html`${link}<${GoOn} id="attention-go-on" />`,
    });
  }
  if (degradeText(degrade)) {
    lines.push({ key: 'degrade', text: degradeText(degrade), action: html`${link}<${TurnOn} />` });
  }
  return lines;
}

// toSale leads to a sale, and to its form, where the field is the one to change.
export const toSale = ({ activity_id: id }, field) => html`<a href="#/live/${id}">${t('show_sale')}</a>
  ${may(write) && html`<a href=${`#/edit/${id}${field ? `?at=${field}` : ''}`}>${t('edit')}</a>`}`;

// unreadyLines is the line of a sale that runs or starts soon and isn't ready, with all that is missing.
function unreadyLines({ sale, stats, checks }, show, again) {
  if (!startsSoon(sale)) return [];
  const missing = Boolean(stats && !stats.loaded && !stats.partial);
  const gates = gatesSign(sale);
  const slow = stateOf(sale) === 'upcoming' && gates.level === 'failure';
  const reasons = [
    missing && t('ready_not_loaded'),
    ...(checks ?? []).filter(({ level }) => level === 'failure').map((check) => checkText(check)),
    slow && gates.text,
  ].filter(Boolean);
  if (reasons.length === 0) return [];
  const name = stateOf(sale) === 'running' ? 'attention_sells_nothing' : 'attention_unready';
  const said = t(name, { sale: saleText(sale), time: duration(msUntil(sale.starts_at)) });
  const edit = reasons.length > Number(missing);
  return [
    {
      key: `unready-${sale.activity_id}`,
      text: html`${said}<ul class="reasons">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`,
      action: html`${edit ? toSale(sale, slow && 'paths_per_second') : show}${
        missing &&
        html`<${Action} route="POST /activities/{activity_id}/reload" label=${t('load_now')}
          id="load-${sale.activity_id}" then=${again}
          run=${(_, key) => call('POST', `/activities/${sale.activity_id}/reload`, { key })} />`
      }`,
    },
  ];
}

function saleLines(read, again, followed) {
  return followed.flatMap(({ sale, stats, audit, checks }) => {
    const show = html`<a href="#/live/${sale.activity_id}">${t('show_sale')}</a>`;
    const lines = unreadyLines({ sale, stats, checks }, show, again);
    if (sale.paused_at && startsSoon(sale)) {
      lines.push({
        key: `paused-${sale.activity_id}`,
        at: sale.paused_at,
        text: t('attention_sale_paused', { sale: saleText(sale) }),
        action: html`${show}<${Action} route="POST /activities/{activity_id}/resume"
          label=${t('resume_sale')} id="resume-${sale.activity_id}"
          run=${(_, key) => call('POST', `/activities/${sale.activity_id}/resume`, { key })} then=${again} />`,
      });
    }
    if (audit && !audit.ok) {
      const drift = driftOf([...audit.items, ...audit.totals]);
      const { bought_wrong: bought, changes_stuck: stuck } = audit;
      lines.push({
        key: `drift-${sale.activity_id}`,
        text: t(drift > 0 ? 'attention_drift' : 'attention_account', {
          sale: saleText(sale),
          drift: number(drift),
          bought: number(bought),
          stuck: number(stuck),
        }),
        action: html`${show}<${Repair} sale=${sale} then=${again} />`,
      });
    }
    return lines;
  });
}

// salesUnknown says which sales were not checked.
export function salesUnknown(sales) {
  if (!sales) return [t('attention_missing', { name: t('source_sales') })];
  const texts = sales.followed
    .filter(({ stats, audit, checks, loaded }) => !stats || stats.partial || (loaded && !audit) || !checks)
    .map(({ sale }) => t('attention_missing', { name: saleText(sale) }));
  return sales.unchecked > 0 ? [...texts, t('attention_unchecked', { count: number(sales.unchecked) })] : texts;
}

function queueLines(read) {
  return (read.queue?.items ?? [])
    .filter((lane) => lane.oldest_ms > longQueue || lane.newer_records)
    .map((lane) => ({
      key: `queue-${lane.lane}`,
      action: html`<a href="#/queue">${t('show_queue')}</a>`,
      text: html`${t('attention_queue', { count: number(lane.length), age: age(lane.oldest_ms) })}${' '}
      ${lane.newer_records && html`<span class="muted">${t('newer_records')}</span>`}`,
    }));
}

function jobLines(read, again) {
  const jobs = read.jobs?.items ?? [];
  const link = html`<a href="#/jobs">${t('show_jobs')}</a>`;
  const offset = read.jobs?.clock_offset_ms ?? 0;
  const wrong = { key: 'clock', text: t('clock_wrong', { ms: number(offset) }), action: link };
  return [
    ...(Math.abs(offset) > wrongClock ? [wrong] : []),
    ...jobs
      .filter((job) => job.paused)
      .map((job) => ({
        key: `paused-${job.name}`,
        text: html`${t('attention_paused', { name: jobText(job.name), by: job.paused_by })}${' '}
        <span class="muted">${stops(job.name)}</span>`,
        action: html`${link}<${Action} route="POST /jobs/{name}/resume" label=${t('resume')} id="resume-${job.name}"
        run=${(_, key) => call('POST', `/jobs/${job.name}/resume`, { key })} then=${again} />`,
      })),
    ...jobs
      .filter((job) => job.last_error)
      .map((job) => ({
        key: `job-${job.name}`,
        at: job.last_error_at,
        text: html`${t('attention_job', { name: jobText(job.name) })}${' '}
        <span class="muted">${stops(job.name)}</span><${Raw} text=${job.last_error} />`,
        action: html`${link}<${Action} route="POST /jobs/{name}/run" label=${t('run_now')}
        run=${(_, key) => call('POST', `/jobs/${job.name}/run`, { key })} then=${again} />`,
      })),
  ];
}

function moneyLines(read, again) {
  return [
    ...(read.flagged?.items ?? []).map((payment) => flagLine(payment, again)),
    ...(read.refunds?.items ?? []).map((r) => ({
      key: r.refund_number,
      at: r.created_at,
      text: html`${refundText(r)}<${Raw} text=${r.last_error} />`,
      action: html`<${Action} route="POST /refunds/{refund_number}/retry"
        label=${t('try_again')} id="retry-${r.refund_number}"
        run=${(_, key) => call('POST', `/refunds/${r.refund_number}/retry`, { key })} then=${again} />`,
    })),
  ];
}

// flagLine says why a payment is flagged. While its wrong money is on its way back, there is nothing to mark yet.
function flagLine(payment, again) {
  const { pay_number: number, amount, currency, flag } = payment;
  const show = html`<a href="#/payment/${number}">${t('show_payment')}</a>`;
  const amounts = { amount: money(amount, currency), flag: words('flag', flag) };
  return {
    key: number,
    at: payment.paid_at ?? payment.created_at,
    text: html`${payment.refunds.length > 0 ? flagText(payment) : t('attention_flag', amounts)}${' '}
      <span class="muted">${t('payment')} ${number}</span>`,
    action: html`${show}${!underWay(payment) && html`<${ClearFlag} payment=${payment} then=${again} />`}`,
  };
}

// infoOf are the lines of what a reader may want to know, and nobody needs to act on.
export const infoOf = (read, again) => (read.flagged?.calm ?? []).map((payment) => flagLine(payment, again));

const refundText = (refund) =>
  t(`attention_refund${refund.waits_for ? `_${refund.waits_for}` : ''}`, {
    amount: money(refund.amount, refund.currency),
    channel: refund.channel,
  });

const deadLines = (read, again) =>
  (read.dead?.items ?? []).map((d) => ({
    key: `dead-${d.dead_id}`,
    at: d.at,
    text: html`${t('attention_dead', { reason: words('dead', d.reason) })}<${Raw} text=${d.detail} />`,
    action: html`<a href="#/queue">${t('show_queue')}</a>
    <${Action} route="POST /queue/dead/{dead_id}/replay" label=${t('replay')} id="replay-${d.dead_id}"
      run=${(_, key) => call('POST', `/queue/dead/${d.dead_id}/replay`, { key })} then=${again} />`,
  }));

// voucherLines are of skus of which no code is left for paid orders.
const voucherLines = (read) =>
  (read.vouchers?.items ?? []).map((pool) => ({
    key: `vouchers-${pool.sku_id}`,
    at: pool.waiting_since,
    text: t('attention_vouchers', { sku: pool.sku_id, waiting: number(pool.waiting) }),
    action: html`${may('GET /orders') && html`<a href="#/order/${pool.oldest_order}">${t('show_order')}</a>`}
    <a href="#/goods?${new URLSearchParams({ sku_id: pool.sku_id })}">${t('import_codes')}</a>`,
  }));

// whyOf ends the name of the text about an endpoint that needs a person.
function whyOf(endpoint) {
  if (endpoint.disabled_reason) return '';
  return endpoint.enabled ? '_fails' : '_off';
}

// endpointLines are of endpoints that were switched off, that fail, and that are off while events wait.
function endpointLines(read, again) {
  const off = (e) => !e.enabled && e.waiting > 0;
  const bad = (read.endpoints?.items ?? []).filter((e) => e.disabled_reason || e.failing_since || off(e));
  return bad.map((e) => ({
    key: `endpoint-${e.endpoint_id}`,
    at: e.failing_since,
    text: html`${t(`attention_endpoint${whyOf(e)}`, { name: e.endpoint_id, waiting: number(e.waiting) })}
      <${Raw} text=${offText(e.disabled_reason)} />`,
    action: html`<a href="#/deliveries/${e.endpoint_id}">${t('show_deliveries')}</a>
      ${!e.enabled && html`<${SwitchOn} endpoint=${e} then=${again} />`}`,
  }));
}
