// Jobs: when they run, how their last runs ended, and running or pausing them.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { Time, zoned } from './moment.js';
import { Action, Badge, Table, useArrival, words } from './parts.js';

// vital are the jobs whose pause stops selling, or money.
const vital = ['move_orders', 'cancel_unpaid', 'preheat', 'send_refunds'];

// stops says what a pause of a job stops.
export const stops = (job) => words('stops', job);

// jobText is the name of a job in words.
export const jobText = (job) => words('job', job);

function stateOf(job) {
  if (job.paused) return 'paused';
  if (job.last_error) return 'failing';
  return job.last_run ? 'ok' : 'not_run';
}

export function Jobs() {
  const { value, error, reload } = useEvery(3000, () => call('GET', '/jobs'));
  const [open, setOpen] = useState('');
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const post = (job, what) => (_, key) => call('POST', `/jobs/${job.name}/${what}`, { key });
  const columns = [
    [
      t('job'),
      (job) => html`<b>${jobText(job.name)}</b> <code class="muted">${job.name}</code>
        <p class="muted">${words('does', job.name)}</p>`,
      'lead wide',
    ],
    [
      t('state'),
      (job) => html`<${Badge} state=${stateOf(job)} />
      ${job.paused && html` <span class="muted">${job.paused_by}</span>`}
      ${job.last_error && html`<p class="bad">${job.last_error}</p>`}`,
      'end',
    ],
    [t('every'), (job) => t('seconds', { n: job.every_s }), 'number named'],
    [zoned(t('last_run')), (job) => html`<${Time} at=${job.last_run?.started_at} />`, 'named'],
    [
      '',
      (job) => html`<div class="row actions">
      <${Action} route="POST /jobs/{name}/run"
        label=${t('run_now')} id="run-${job.name}" run=${post(job, 'run')} then=${reload}
        done=${t('done_job_run', { job: jobText(job.name) })} />
      ${
        job.paused
          ? html`<${Action} route="POST /jobs/{name}/resume"
            label=${t('resume')} id="resume-${job.name}" run=${post(job, 'resume')} then=${reload}
            done=${t('done_job_resumed', { job: jobText(job.name) })}
            undo=${() => (key) => post(job, 'pause')({}, key)} />`
          : html`<${Action} route="POST /jobs/{name}/pause"
            label=${t('pause')} title=${t('pause_title', { name: jobText(job.name) })}
          kind=${vital.includes(job.name) ? 'danger' : 'quiet'}
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
    <${Table} name=${t('menu_jobs')} columns=${columns} rows=${value.items} empty=${t('jobs_none')}
      keyOf=${(job) => job.name} />
    ${open && html`<${Runs} key=${open} job=${open} />`}`;
}

function Runs({ job }) {
  const { value, error, reload } = useLoad(() => call('GET', `/jobs/${job}/runs?page_size=20`));
  const arrival = useArrival(Boolean(value ?? error));
  const columns = [
    [zoned(t('started')), (run) => html`<${Time} at=${run.started_at} />`, 'lead'],
    [zoned(t('run_ended')), (run) => html`<${Time} at=${run.ended_at} />`, 'named'],
    [t('state'), (run) => html`<${Badge} state=${run.state} />`, 'end'],
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
