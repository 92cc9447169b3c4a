// Jobs: when they run, how their last runs ended, and running or pausing them.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, now, useEvery, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { msSince } from '../shared/sale_figures.js';
import { moment, Time, zoned } from './moment.js';
import { jobText, stops } from './job_words.js';
import { Action, age, Badge, Table, useArrival, words } from './parts.js';

// vital are the jobs whose pause stops selling, or money.
const vital = ['move_orders', 'cancel_unpaid', 'preheat', 'send_refunds'];

function stateOf(job) {
  if (job.last_error) return 'failing';
  if (job.paused) return 'paused';
  if (!job.last_run) return 'not_run';
  return job.last_run.done > 0 ? 'ok' : 'idle';
}

const loud = ['failing', 'paused']; // states that an operator should see first

const isLoud = (job) => loud.includes(stateOf(job));

const weight = (job) => (isLoud(job) ? loud.indexOf(stateOf(job)) : loud.length);

// useOrder puts the jobs that fail first, then those that are paused. While the reader works in the list, no row moves.
function useOrder(jobs) {
  const order = useRef([]);
  const atWork = document.activeElement?.closest('td');
  if (!atWork || order.current.length === 0) {
    order.current = jobs.toSorted((a, b) => weight(a) - weight(b)).map(({ name }) => name);
  }
  return jobs.toSorted((a, b) => order.current.indexOf(a.name) - order.current.indexOf(b.name));
}

// State shows how a job is: in a badge only if it did something, or should be looked at.
function State({ job }) {
  const state = stateOf(job);
  if (state === 'idle' || state === 'not_run') return html`<span class="muted">${t(`state_${state}`)}</span>`;
  return html`<${Badge} state=${state} />
    ${state === 'ok' && html`<p class="muted">${t('did', { n: number(job.last_run.done) })}</p>`}
    ${job.paused && html`<p class="muted">${t('paused_by', { by: job.paused_by })}</p>`}
    ${isLoud(job) && html`<p class=${job.last_error ? 'bad' : 'warn'}>${stops(job.name)}</p>`}
    ${
      job.last_error &&
      html`${job.last_error_at && html`<p class="muted">${t('ago', { age: age(msSince(job.last_error_at)) })}</p>`}
      <p><code class="muted">${job.last_error}</code></p>`
    }`;
}

// Next is when a job runs next.
function Next({ job: { paused, running, next_run_at: at, every_s: every } }) {
  if (paused) return '–';
  const wait = at ? Date.parse(at) - now() : 0;
  const when = running || wait < 1000 ? t('now') : t('in_time', { time: age(wait) });
  return html`<time datetime=${at} title=${moment(at)}>${when}</time>${' '}
    <p class="muted every">${t('every', { n: every })}</p>`;
}

export function Jobs() {
  const { value, error, reload } = useEvery(3000, () => call('GET', '/jobs'));
  const [open, setOpen] = useState('');
  const rows = useOrder(value?.items ?? []);
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const post = (job, what) => (_, key) => call('POST', `/jobs/${job.name}/${what}`, { key });
  const columns = [
    [
      t('job'),
      (job) => html`<b class=${isLoud(job) ? '' : 'calm'}>${jobText(job.name)}</b>
        ${' '}<code class="muted">${job.name}</code>
        <p class="muted">${words('does', job.name)}</p>`,
      'lead wide',
    ],
    [t('state'), (job) => html`<${State} job=${job} />`, 'end state'],
    [t('next_run'), (job) => html`<${Next} job=${job} />`, 'named'],
    [zoned(t('last_run')), (job) => html`<${Time} at=${job.last_run?.started_at} />`, 'named'],
    [
      '',
      (job) => html`<div class="row actions ${isLoud(job) ? '' : 'calm'}">
      <${Action} route="POST /jobs/{name}/run"
        label=${t('run_now')} kind=${job.last_error ? 'go' : 'quiet'} id="run-${job.name}"
        run=${post(job, 'run')} then=${reload}
        done=${t('done_job_run', { job: jobText(job.name) })} />
      ${
        job.paused
          ? html`<${Action} route="POST /jobs/{name}/resume"
            label=${t('resume')} id="resume-${job.name}" run=${post(job, 'resume')} then=${reload}
            done=${t('done_job_resumed', { job: jobText(job.name) })}
            undo=${() => (key) => post(job, 'pause')({}, key)} />`
          : html`<${Action} route="POST /jobs/{name}/pause"
            label=${t('pause')} title=${t('pause_title', { name: jobText(job.name) })}
          kind=${vital.includes(job.name) && !job.last_error ? 'danger' : 'quiet'}
          help=${stops(job.name)} id="pause-${job.name}" run=${post(job, 'pause')} then=${reload}
          done=${t('done_job_paused', { job: jobText(job.name) })}
          undo=${() => (key) => post(job, 'resume')({}, key)} />`
      }
      <button class="quiet" aria-expanded=${open === job.name}
        onClick=${() => setOpen(open === job.name ? '' : job.name)}>${t('runs')}</button></div>`,
      'tools',
    ],
  ];
  return html`<h1>${t('menu_jobs')}</h1><p class="muted">${t('jobs_help')}</p>
    ${
      Math.abs(value.clock_offset_ms) > 5000 &&
      html`<p class="notice bad">
      ${t('clock_wrong', { ms: number(value.clock_offset_ms) })}</p>`
    }
    <${Table} name=${t('menu_jobs')} columns=${columns} rows=${rows} empty=${t('jobs_none')}
      keyOf=${(job) => job.name} />
    ${open && html`<${Runs} key=${open} job=${open} />`}`;
}

// RunState shows how a run ended; one that found nothing to do is no news.
function RunState({ run: { state, done } }) {
  return state === 'ok' && done === 0
    ? html`<span class="muted">${t('state_idle')}</span>`
    : html`<${Badge} state=${state} />`;
}

function Runs({ job }) {
  const { value, error, reload } = useLoad(() => call('GET', `/jobs/${job}/runs?page_size=20`));
  const arrival = useArrival(Boolean(value ?? error));
  const columns = [
    [zoned(t('started')), (run) => html`<${Time} at=${run.started_at} />`, 'lead'],
    [zoned(t('run_ended')), (run) => html`<${Time} at=${run.ended_at} />`, 'named'],
    [t('state'), (run) => html`<${RunState} run=${run} />`, 'end'],
    [t('done_items'), (run) => number(run.done), 'number named'],
    [t('by'), (run) => run.asked_by ?? t('scheduler')],
    [t('instance'), (run) => run.instance],
    [t('error'), (run) => html`<span class="bad">${run.error}</span>`, 'wide'],
  ];
  return html`<section class="card" id="runs" ref=${arrival} tabindex="-1" aria-labelledby="runs-title">
    <h2 id="runs-title">${t('runs_of', { job: jobText(job) })}</h2>
    <${Problem} error=${error} retry=${reload} />
    ${
      value &&
      html`<${Table} name=${t('runs')} columns=${columns} rows=${value.items} empty=${t('runs_none')}
      keyOf=${(run) => run.run_id} />`
    }</section>`;
}
