// Users, addresses and networks that may not take part in sales.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Time, zoned } from './moment.js';
import { Action, Filters, List, usePages } from './parts.js';

export function Blocked() {
  const [filters, setFilters] = useState({ kind: '' });
  const list = usePages('/blocked', filters);
  const address = (subject, kind) => `/blocked/${encodeURIComponent(`${kind}:${subject}`)}`;
  const kinds = [
    ['user', t('block_user')],
    ['address', t('block_address')],
  ];
  const fields = [
    { name: 'kind', label: t('kind'), options: kinds },
    { name: 'subject', label: t('subject'), help: t('subject_help'), required: true, maxlength: 64 },
    { name: 'reason', label: t('reason'), required: true, maxlength: 200 },
    { name: 'until', label: t('until'), help: t('until_help'), type: 'datetime-local' },
  ];
  // A block in the list is replaced as it is shown; any other block is shown first.
  const shown = (kind, subject) => list.items.find((b) => b.kind === kind && b.subject === subject)?.version;
  const put = (kind, subject, body, version) =>
    call('PUT', address(subject, kind), { body, version, create: !version });
  const lift = (kind, subject, version) => call('DELETE', address(subject, kind), { version });
  const block = ({ kind, subject, reason, until }, _, version = shown(kind, subject)) =>
    put(kind, subject, { reason, ...(until && { until: new Date(until).toISOString() }) }, version);
  // A block that replaced another one is not lifted.
  const undo = (b, { kind, subject }) => !shown(kind, subject) && (() => lift(kind, b.subject, b.version));
  const columns = [
    [t('subject'), (b) => html`<code>${b.subject}</code>`, 'lead'],
    [t('kind'), (b) => t(`block_${b.kind}`), 'end'],
    [t('reason'), (b) => b.reason, 'wide'],
    [zoned(t('until')), (b) => (b.until ? html`<${Time} at=${b.until} />` : t('no_end')), 'named'],
    [zoned(t('since')), (b) => html`<${Time} at=${b.updated_at} />`, 'named'],
    [
      '',
      (b) => html`<${Action} route="DELETE /blocked/{subject}"
        label=${t('unblock')} title=${t('unblock_title', { subject: b.subject })}
      run=${(_, key, version = b.version) => lift(b.kind, b.subject, version)}
      done=${t('done_unblocked', { subject: b.subject })}
      undo=${() => () => put(b.kind, b.subject, { reason: b.reason, ...(b.until && { until: b.until }) })}
      then=${list.reload} />`,
      'tools',
    ],
  ];
  return html`<div class="row heading"><h1>${t('menu_blocked')}</h1>
      <${Action} route="PUT /blocked/{subject}"
        label=${t('block')} kind="go" id="block" title=${t('block_title')} help=${t('block_help')}
        fields=${fields} run=${block} done=${(b) => t('done_blocked', { subject: b.subject })}
        undo=${undo} then=${list.reload} /></div>
    <${Filters} fields=${[{ name: 'kind', label: t('kind'), options: [['', t('all')], ...kinds] }]}
      values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_blocked')} columns=${columns} empty=${t('blocked_none')}
      keyOf=${(b) => `${b.kind}:${b.subject}`} />`;
}
