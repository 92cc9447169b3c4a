// What was sent to an endpoint, and what it answered.
import { html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Dialog, Loading, Problem } from '../shared/parts.js';
import { dotted } from '../shared/phrases.js';
import { Time, zoned } from './moment.js';
import { outcomeOf } from './delivery_words.js';
import { Action, Badge, emptyText, Filters, goodOrBad, List, queryOf, usePages } from './parts.js';
import { path } from './endpoint_parts.js';
import { eventText } from './endpoints.js';
import { Back } from './ways.js';

export function Deliveries({ id }) {
  const [filters, setFilters] = useState({ status: '' });
  const list = usePages(`${path(id)}/deliveries`, filters);
  const [shown, show] = useState('');
  const [tested, setTested] = useState();
  const columns = [
    [
      t('event'),
      (d) => html`<b>${eventText(d.type)}</b><p class="muted"><code>${dotted(d.type)}</code></p>
      <p class="muted">${d.event_id}</p>`,
      'lead',
    ],
    [
      t('state'),
      (d) => html`<${Badge} state=${d.status} />
      <p class="muted">${t('attempts')} ${number(d.attempts)}</p>
      ${d.next_attempt_at && html`<p class="muted">${t('next_try')} <${Time} at=${d.next_attempt_at} /></p>`}`,
      'end',
    ],
    [
      t('answer'),
      (d) => html`<${Outcome} of=${d} />
      ${d.attempts > 0 && html`<p class="muted">${number(d.duration_ms)}\u00a0ms</p>`}`,
      'wide',
    ],
    [zoned(t('at')), (d) => html`<${Time} at=${d.at} />`],
    [
      '',
      (d) => html`<div class="row actions">
      <button type="button" class="quiet" id="show-${d.delivery_id}" onClick=${() => show(d.delivery_id)}>
        ${t('payload')}</button>
      <${Action} label=${t('send_again')} then=${list.reload} done=${t('done_resent')}
      run=${(_, key) => call('POST', `/deliveries/${d.delivery_id}/resend`, { key })} /></div>`,
      'tools',
    ],
  ];
  const iso = (text) => (text ? new Date(text).toISOString() : undefined);
  const span = [
    { name: 'from', label: t('from_time'), type: 'datetime-local', required: true },
    { name: 'to', label: t('to_time'), type: 'datetime-local' },
  ];
  const resend = ({ from, to }, key) =>
    call('POST', `${path(id)}/resend`, { key, body: { from: iso(from), to: iso(to) } });
  const states = ['', 'waiting', 'delivered', 'failed'].map((s) => [s, t(s ? `state_${s}` : 'all')]);
  return html`<${Back} href="#/endpoints" route="GET /endpoints">${t('menu_endpoints')}<//>
    <div class="row heading"><h1>${t('deliveries_title', { name: id })}</h1>
      <${Action} label=${t('test_event_send')} id="test" run=${(_, key) => call('POST', `${path(id)}/test`, { key })}
        then=${setTested} done=${null} />
      <${Action} label=${t('send_span')} title=${t('send_span')} help=${t('send_span_help')} fields=${span}
        run=${resend} then=${list.reload} done=${t('done_span_resent')} /></div>
    <${Filters} values=${filters} change=${setFilters}
      fields=${[{ name: 'status', label: t('state'), options: states }]} />
    <${List} list=${list} name=${t('deliveries')} columns=${columns} empty=${emptyText('deliveries', queryOf(filters))}
      keyOf=${(d) => d.delivery_id} />
    ${shown && html`<${Payload} id=${shown} close=${() => show('')} />`}
    ${tested && html`<${Tested} result=${tested} close=${() => setTested()} />`}`;
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

// Payload shows the last answer to a delivery, and the body that is sent with it.
function Payload({ id, close }) {
  const { value, error, reload } = useLoad(() => call('GET', `/deliveries/${id}`));
  return html`<${Dialog} title=${t('event')} close=${close}><${Problem} error=${error} retry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value && html`<${Answer} of=${value} />`}
    ${value && !value.event && html`<p class="muted">${t('payload_gone')}</p>`}
    ${value?.event && html`<${Sent} of=${value} text=${JSON.stringify(value.event, null, 2)} />`}
    <button type="button" class="go" onClick=${close}>${t('close')}</button><//>`;
}

// Tested shows a test event with its answer.
function Tested({ result, close }) {
  return html`<${Dialog} title=${t('test_event')} close=${close}>
    <p class=${goodOrBad(result.accepted)} id="tested">${t(result.accepted ? 'test_accepted' : 'test_refused')}</p>
    <${Answer} of=${result} /><${Sent} of=${result} text=${pretty(result.body)} />
    <button type="button" class="go" onClick=${close}>${t('close')}</button><//>`;
}

// Sent is the body that is sent, folded below the answer.
const Sent = ({ of, text }) => html`<details open=${!isAnswered(of)}><summary>${t('payload')}</summary>
  <pre class="file" tabindex="0">${text}</pre></details>`;

const isAnswered = ({ status_code: code, error }) => Boolean(code || error);

function Answer({ of }) {
  if (!isAnswered(of)) return null;
  return html`<h3>${t('answer')}</h3><${Outcome} of=${of} /><p class="muted">${number(of.duration_ms)}\u00a0ms</p>`;
}

// Outcome says what became of a delivery. What the endpoint or the network said is behind it.
function Outcome({ of }) {
  const outcome = outcomeOf(of);
  if (!outcome) return '–';
  const raw = [of.error, of.answer].filter(Boolean);
  return html`<p class="outcome ${goodOrBad(outcome === 'taken')}">
      ${t(`answer_${outcome}`, { code: of.status_code })}</p>
    ${
      raw.length > 0 &&
      html`<details class="raw"><summary>${t('answer_raw')}</summary>
      ${raw.map((text) => html`<p class="muted">${text}</p>`)}</details>`
    }`;
}
