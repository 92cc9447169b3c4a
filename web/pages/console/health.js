// The stores, and the instances of the program with their health.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { msSince } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { Time, zoned } from './moment.js';
import { age, goodOrBad, Table } from './parts.js';

const stores = ['redis', 'sql'];

// Health shows the stores by what all instances say of them. read is what readAttention has read, or undefined.
export function Health({ read, again }) {
  const value = read?.instances;
  const error = read?.errors.instances;
  const columns = [
    [t('instance'), (i) => html`<b>${i.name}</b>`, 'lead'],
    [
      t('state'),
      (i) => html`<span class="badge ${goodOrBad(i.status === 'ok')}">${t(`instance_${i.status}`)}</span>
        ${i.unavailable.length > 0 && html`<p class="bad">${t('without', { stores: i.unavailable.join(', ') })}</p>`}`,
      'end',
    ],
    [t('version'), (i) => i.version || '–', 'named'],
    [zoned(t('runs_since')), (i) => html`<${Time} at=${i.started_at} />`, 'named'],
    [t('last_seen'), (i) => t('ago', { age: age(msSince(i.seen_at)) }), 'number named'],
  ];
  const away = new Set(
    (value?.items ?? []).flatMap((instance) => instance.unavailable.map((text) => text.split(':')[0])),
  );
  return html`<section id="health"><div class="row heading"><h2>${t('health')}</h2>
      ${
        value &&
        stores.map(
          (name) => html`<span class="badge ${goodOrBad(!away.has(name))}">
        ${t(away.has(name) ? 'store_away' : 'store_ok', { name: t(`store_${name}`) })}</span>`,
        )
      }</div>
    <${Problem} error=${error} retry=${again} />
    ${!value && !error && html`<${Loading} />`}
    ${
      value &&
      html`<${Table} name=${t('health')} columns=${columns} rows=${value.items} empty=${t('instances_none')}
      keyOf=${(i) => i.name} />`
    }</section>`;
}
