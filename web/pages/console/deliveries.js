// What was sent to an endpoint, and what it answered.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action, Badge, Filters, List, moment, usePages } from './parts.js';
import { path } from './endpoints.js';

export function Deliveries({ id }) {
  const [filters, setFilters] = useState({ status: '' });
  const list = usePages(`${path(id)}/deliveries`, filters);
  const columns = [
    [t('event'), (d) => html`<b>${d.type}</b><p class="muted">${d.event_id}</p>`],
    [t('state'), (d) => html`<${Badge} state=${d.status} />`],
    [t('attempts'), (d) => number(d.attempts), 'number'],
    [
      t('answer'),
      (d) => html`${d.status_code ?? ''} <span class="bad">${d.error}</span>
      <p class="muted">${d.answer}</p>`,
      'wide',
    ],
    [t('duration'), (d) => `${number(d.duration_ms)} ms`, 'number'],
    [t('at'), (d) => moment(d.at)],
    [t('next_try'), (d) => moment(d.next_attempt_at)],
    [
      '',
      (d) => html`<${Action} label=${t('send_again')} then=${list.reload}
      run=${() => call('POST', `/deliveries/${d.delivery_id}/resend`)} />`,
    ],
  ];
  const iso = (text) => (text ? new Date(text).toISOString() : undefined);
  const span = [
    { name: 'from', label: t('from_time'), type: 'datetime-local', required: true },
    { name: 'to', label: t('to_time'), type: 'datetime-local' },
  ];
  const resend = ({ from, to }) => call('POST', `${path(id)}/resend`, { body: { from: iso(from), to: iso(to) } });
  const states = ['', 'waiting', 'delivered', 'failed'].map((s) => [s, t(s ? `state_${s}` : 'all')]);
  return html`<div class="row heading"><h1>${t('deliveries_title', { name: id })}</h1>
      <${Action} label=${t('send_span')} title=${t('send_span')} help=${t('send_span_help')} fields=${span}
        run=${resend} then=${list.reload} />
      <a href="#/endpoints">${t('menu_endpoints')}</a></div>
    <${Filters} values=${filters} change=${setFilters}
      fields=${[{ name: 'status', label: t('state'), options: states }]} />
    <${List} list=${list} name=${t('deliveries')} columns=${columns} empty=${t('deliveries_none')}
      keyOf=${(d) => d.delivery_id} />`;
}
