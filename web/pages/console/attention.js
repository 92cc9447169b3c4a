// What needs a person, gathered from all lists: each with its action.
import { html } from '../shared/preact-htm.js';
import { money, number, t } from '../shared/texts.js';
import { call, now } from '../shared/server.js';
import { Action, age, words } from './parts.js';
import { ClearFlag } from './payment.js';
import { SwitchOn } from './endpoints.js';

const shown = 5; // of each kind

// readAttention reads what needs a person. A list that can't be read is named in missing.
export async function readAttention() {
  const sources = {
    flagged: () => call('GET', `/payments?flagged=true&page_size=${shown}`),
    refunds: () => call('GET', `/refunds?status=failed&page_size=${shown}`),
    dead: () => call('GET', `/queue/dead?page_size=${shown}`),
    queue: () => call('GET', '/queue'),
    endpoints: () => call('GET', '/endpoints?page_size=100'),
    jobs: () => call('GET', '/jobs'),
  };
  const names = Object.keys(sources);
  const results = await Promise.allSettled(names.map((name) => sources[name]()));
  const read = { missing: [] };
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') read[names[i]] = result.value;
    else read.missing.push({ name: names[i], error: result.reason });
  });
  if (read.missing.length === names.length) throw read.missing[0].error;
  return read;
}

// items turns what was read, and the audits of sales, into lines: each {key, level, text, at, action}.
function items(read, audits, again) {
  const list = [];
  for (const { sale, audit } of audits) {
    if (audit.ok) continue;
    const drift = audit.items.reduce((sum, item) => sum + Math.abs(item.drift), 0);
    list.push({
      key: `drift-${sale.activity_id}`, text: t('attention_drift', { sale: sale.title, drift: number(drift) }),
      action: html`<a href="#/live/${sale.activity_id}">${t('show')}</a>
        <${Action} label=${t('repair')} title=${t('repair')} help=${t('repair_help')} id="repair-${sale.activity_id}"
          run=${() => call('POST', `/activities/${sale.activity_id}/audit/repair`)} then=${again} />`,
    });
  }
  for (const p of read.flagged?.items ?? []) {
    list.push({
      key: p.pay_number, at: p.paid_at ?? p.created_at,
      text: html`${t('attention_flag', { amount: money(p.amount, p.currency), flag: words('flag', p.flag) })} <a href="#/payment/${p.pay_number}">${p.pay_number}</a>`,
      action: html`<${ClearFlag} payment=${p} then=${again} />`,
    });
  }
  for (const r of read.refunds?.items ?? []) {
    list.push({
      key: r.refund_number, at: r.created_at,
      text: html`${t('attention_refund', { amount: money(r.amount, r.currency) })} <span class="muted">${r.last_error}</span>`,
      action: html`<${Action} label=${t('try_again')} id="retry-${r.refund_number}"
        run=${() => call('POST', `/refunds/${r.refund_number}/retry`)} then=${again} />`,
    });
  }
  for (const d of read.dead?.items ?? []) {
    list.push({
      key: d.dead_id, at: d.at, text: html`${t('attention_dead', { reason: words('dead', d.reason) })} <span class="muted">${d.detail}</span>`,
      action: html`<a href="#/queue">${t('show')}</a>
        <${Action} label=${t('replay')} id="replay-${d.dead_id}" run=${() => call('POST', `/queue/dead/${d.dead_id}/replay`)} then=${again} />`,
    });
  }
  for (const e of (read.endpoints?.items ?? []).filter((endpoint) => endpoint.disabled_reason)) {
    list.push({
      key: `endpoint-${e.endpoint_id}`, at: e.failing_since,
      text: html`${t('attention_endpoint', { name: e.endpoint_id })} <span class="muted">${e.disabled_reason}</span>`,
      action: html`<${SwitchOn} endpoint=${e} then=${again} />`,
    });
  }
  for (const job of (read.jobs?.items ?? []).filter((j) => j.last_error)) {
    list.push({
      key: `job-${job.name}`, at: job.last_error_at,
      text: html`${t('attention_job', { name: job.name })} <span class="muted">${job.last_error}</span>`,
      action: html`<a href="#/jobs">${t('show')}</a>
        <${Action} label=${t('run_now')} run=${() => call('POST', `/jobs/${job.name}/run`)} then=${again} />`,
    });
  }
  return list;
}

// more says how many lines of a kind are not shown.
function more(read) {
  const dead = (read.queue?.items ?? []).reduce((sum, lane) => sum + lane.dead, 0);
  return [['#/money/payments?flagged=true', read.flagged?.total], ['#/money/refunds?status=failed', read.refunds?.total], ['#/queue', dead]]
    .filter(([, total]) => total > shown);
}

export function Attention({ read, audits, again }) {
  const list = items(read, audits, again);
  return html`<section class="attention ${list.length ? 'needed' : 'calm'}">
    <h2>${t('attention')}</h2>
    <p class="hidden" role="status">${list.length > 0 && t('attention_count', { count: number(list.length) })}</p>
    ${list.length === 0 && read.missing.length === 0 && html`<p class="good">${t('attention_none')}</p>`}
    ${read.missing.map(({ name }) => html`<p class="bad">${t('attention_missing', { name: t(`source_${name}`) })}</p>`)}
    <ul>${list.map((item) => html`<li key=${item.key}><span class="text">${item.text}</span>
      <span class="age muted">${item.at ? age(now() - Date.parse(item.at)) : ''}</span>
      <span class="row actions">${item.action}</span></li>`)}</ul>
    ${more(read).map(([href, total]) => html`<p><a href=${href}>${t('attention_more', { total: number(total) })}</a></p>`)}
  </section>`;
}
