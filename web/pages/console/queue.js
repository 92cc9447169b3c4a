// The queues of the lanes, and the dead entries, whose orders can't be stored.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { msSince } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { may } from './me.js';
import { Action, age, Filters, List, Table, usePages, words } from './parts.js';

export function Queue() {
  const { value, error, reload } = useEvery(2000, () => call('GET', '/queue'));
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const lanes = [
    [t('lane'), (lane) => t('lane_number', { n: lane.lane }), 'lead'],
    [t('queued'), (lane) => number(lane.length), 'number named'],
    [t('oldest'), (lane) => (lane.length ? age(lane.oldest_ms) : '–'), 'number named'],
    [t('dead'), (lane) => html`<span class=${lane.dead ? 'bad' : ''}>${number(lane.dead)}</span>`, 'number named'],
    [t('oldest_dead'), (lane) => (lane.dead ? age(lane.oldest_dead_ms) : '–'), 'number named'],
    [t('note'), (lane) => (lane.newer_records ? t('newer_records') : ''), 'wide'],
  ];
  const busy = value.items.filter((lane) => lane.length || lane.dead || lane.newer_records);
  return html`<h1>${t('menu_queue')}</h1><p class="muted">${t('queue_help')}</p>
    <${Table} name=${t('menu_queue')} columns=${lanes} rows=${busy} keyOf=${(lane) => lane.lane}
      empty=${t('queue_none', { lanes: value.items.length })} />
    ${may('GET /queue/dead') && html`<${Dead} reload=${reload} />`}`;
}

// Dead are the orders that can't be stored.
function Dead({ reload }) {
  const [filters, setFilters] = useState({ reason: '' });
  const dead = usePages('/queue/dead', filters);
  const again = () => {
    dead.reload();
    reload();
  };
  const reasons = [...new Set(dead.items.map((entry) => entry.reason))];
  return html`<h2>${t('dead_title')}</h2>
    <div class="row">
      <${Filters} fields=${[{ name: 'reason', label: t('reason'), maxlength: 64 }]} values=${filters}
        change=${setFilters} />
      ${reasons.map((reason) => html`<${ReplayAll} key=${reason} reason=${reason} then=${again} />`)}</div>
    <${List} list=${dead} name=${t('dead_title')} columns=${deadColumns(again)} empty=${t('dead_none')}
      keyOf=${(d) => d.dead_id} />`;
}

// ReplayAll sends all dead entries with a reason back to their queues.
function ReplayAll({ reason, then }) {
  const label = t('replay_reason', { reason: words('dead', reason) });
  return html`<${Action} route="POST /queue/dead:replay" label=${label} title=${label} help=${t('replay_help')}
    run=${(_, key) => call('POST', '/queue/dead:replay', { key, body: { reason } })} then=${then}
    done=${t('done_replayed')} />`;
}

// deadColumns are the columns of dead entries, with what can be done; again reads them again.
function deadColumns(again) {
  return [
    [t('order'), (d) => d.order_number ?? d.dead_id, 'lead id'],
    [t('buyer'), (d) => d.user_id ?? '–', 'cut'],
    [t('reason'), (d) => html`<b>${words('dead', d.reason)}</b><p class="muted">${d.detail}</p>`, 'wide'],
    [t('age'), (d) => (d.at ? age(msSince(d.at)) : '–'), 'number end'],
    [
      '',
      (d) => html`<div class="row actions">
      <${Action} route="POST /queue/dead/{dead_id}/replay" label=${t('replay')} id="replay-${d.dead_id}"
        run=${(_, key) => call('POST', `/queue/dead/${d.dead_id}/replay`, { key })} then=${again}
        done=${t('done_replayed')} />
      <${Action} route="POST /queue/dead/{dead_id}/discard" label=${t('discard')} title=${t('discard_title')}
        help=${t('discard_help')} kind="danger"
        run=${(_, key) => call('POST', `/queue/dead/${d.dead_id}/discard`, { key })} then=${again}
        done=${t('done_discarded')} /></div>`,
      'tools',
    ],
  ];
}
