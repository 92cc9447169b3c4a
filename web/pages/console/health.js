// The stores, and the instances of the program with their health.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { msSince } from '../shared/sale_figures.js';
import { Loading, Problem } from '../shared/parts.js';
import { Time, zoned } from './moment.js';
import { age, goodOrBad, Table } from './parts.js';

const stores = ['redis', 'sql'];

// unavailable takes apart what the server says of a store, or of work in the background: its name, and why, if it says
// so.
export function unavailable(text) {
  const [name, reason = ''] = text.split(/: (.*)/);
  return { name, reason };
}

// awayOf are the stores that an instance doesn't reach.
const awayOf = (instance) =>
  stores.filter((store) => instance.unavailable.some((text) => unavailable(text).name === store));

// stateOf is the state of an instance: work that stands still, such as that of a paused job, is no store that is away.
const stateOf = (instance) =>
  instance.status === 'degraded' && awayOf(instance).length === 0 ? 'stands' : instance.status;

const kindOf = (state) => (state === 'stands' ? 'paused' : goodOrBad(state === 'ok'));

// Away says what an instance goes without, and why if it says so.
function Away({ instance }) {
  const away = awayOf(instance).map((store) => t(`store_${store}`));
  const reasons = instance.unavailable.map((text) => unavailable(text).reason).filter(Boolean);
  return html`${away.length > 0 && html`<p class="bad">${t('without', { stores: away.join(', ') })}</p>`}
    ${reasons.length > 0 && html`<p class="muted">${reasons.join(', ')}</p>`}`;
}

// Health shows the stores by what all instances say of them. read is what readAttention has read, or undefined.
export function Health({ read, again }) {
  const value = read?.instances;
  const error = read?.errors.instances;
  const columns = [
    [t('instance'), (i) => html`<b>${i.name}</b>`, 'lead'],
    [
      t('state'),
      (i) => html`<span class="badge ${kindOf(stateOf(i))}">${t(`instance_${stateOf(i)}`)}</span>
        <${Away} instance=${i} />`,
      'end',
    ],
    [t('version'), (i) => i.version || '–', 'named'],
    [zoned(t('runs_since')), (i) => html`<${Time} at=${i.started_at} />`, 'named'],
    [t('last_seen'), (i) => t('ago', { age: age(msSince(i.seen_at)) }), 'number named'],
  ];
  const away = new Set((value?.items ?? []).flatMap(awayOf));
  const reported = value?.items.length > 0 ? 'ok' : 'unknown';
  const stateOfStore = (name) => (away.has(name) ? 'away' : reported);
  const kinds = { ok: 'good', away: 'bad' };
  return html`<section id="health"><div class="row heading"><h2 tabindex="-1">${t('health')}</h2>
      ${
        value &&
        stores.map(
          (name) => html`<span class="badge ${kinds[stateOfStore(name)]}">
        ${t(`store_${stateOfStore(name)}`, { name: t(`store_${name}`) })}</span>`,
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
