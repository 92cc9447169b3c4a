// The stock points: where stock is, which regions each serves, and where buyers pick up.
import { html } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { pointText } from './list_parts.js';
import { may } from './me.js';
import { Menu } from './menu.js';
import { Action, List, readAll, save, toMajor, toMinor, useOne, usePages } from './parts.js';

const path = (id) => `/points/${encodeURIComponent(id)}`;
const regionsOf = (text) =>
  text
    .split(/[,，、;；\n]/)
    .map((region) => region.trim())
    .filter(Boolean);

// The extra freight is charged in the currency of each order. It is shown in major units where all goods have one
// currency.
const shownExtra = (amount, currency) => (currency ? toMajor(amount, currency) : amount);

const fieldsOf = (point, currency) => [
  ...(point ? [] : [{ name: 'point_id', label: t('point_id'), required: true, ...idInput }]),
  { name: 'name', label: t('name'), required: true, maxlength: 200, initial: point?.name },
  {
    name: 'regions',
    label: t('regions'),
    help: t('regions_help'),
    type: 'textarea',
    initial: point?.regions.join(', '),
  },
  {
    name: 'freight_extra',
    label: t('freight_extra'),
    help: currency ?? t('minor_units'),
    type: 'number',
    min: 0,
    initial: shownExtra(point?.freight_extra ?? 0, currency),
  },
  { name: 'pickup', label: t('pickup'), type: 'checkbox', initial: point?.pickup },
  {
    name: 'address',
    label: t('point_address'),
    help: t('point_address_help'),
    type: 'textarea',
    maxlength: 200,
    initial: point?.address,
  },
  { name: 'hours', label: t('point_hours'), maxlength: 200, help: t('point_hours_help'), initial: point?.hours },
];

const put = (point, currency) => (v, _, version) =>
  save(
    point?.version === undefined ? undefined : point, // the point 0 may never have been stored
    path(point?.point_id ?? v.point_id),
    {
      body: {
        name: v.name,
        regions: regionsOf(v.regions),
        pickup: v.pickup === 'true',
        address: v.address,
        hours: v.hours,
        freight_extra: (currency ? toMinor(v.freight_extra, currency) : Number(v.freight_extra)) ?? 0,
      },
    },
    version,
  );

// regionsText says where the goods of a point are sent. Point 0 serves the regions that no point claims.
function regionsText({ point_id: id, regions }) {
  if (id === '0') return [...regions, t('regions_rest')].join(', ');
  return regions.length > 0 ? regions.join(', ') : html`<span class="warn">${t('regions_none')}</span>`;
}

// main is the point 0, which exists without having been made.
const main = { point_id: '0', regions: [], freight_extra: 0 };

// withMain puts the point 0 first in a list that was read to its end.
function withMain(list) {
  const { items, more, read, error } = list;
  const own = items.find(({ point_id: id }) => id === '0');
  if (!read || error || (more && !own)) return list;
  return { ...list, items: [own ?? main, ...items.filter((point) => point !== own)] };
}

// currenciesOf returns the currencies of goods.
const currenciesOf = (skus) => [...new Set(skus.map((sku) => sku.currency))];

// extraText is the extra freight of a point as money, in each currency.
const extraText = (amount, currencies) => currencies.map((currency) => money(amount, currency)).join(' / ') || amount;

const savedText = (point) => t('done_saved', { name: point.name });

const namesOf = (points) => points.map((id) => pointText(id));

// Shared says which regions several stock points claim, and which of them wins.
function Shared({ claims }) {
  return html`<${Problem} error=${claims.error} retry=${claims.reload} />
    ${(claims.value?.items ?? []).map(
      ({ region, point_ids: points }) => html`<p class="notice warn" key=${region}>
      ${t('region_shared', { region, points: namesOf(points).join(', '), wins: namesOf(points)[0] })}</p>`,
    )}
    ${claims.value?.next_cursor && html`<p class="notice">…</p>`}`;
}

// Points waits for the currency: an amount that is typed has the same meaning until it is stored.
export function Points({ query }) {
  const { value, error, reload } = useLoad(() => readAll('/skus'));
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const found = new URLSearchParams(query).get('point_id');
  const currencies = currenciesOf(value);
  return found ? html`<${Found} id=${found} currencies=${currencies} />` : html`<${All} currencies=${currencies} />`;
}

const Found = ({ id, currencies }) => html`<${PointList} points=${useOne(path(id))} currencies=${currencies}>
  <p><a href="#/points">${t('all_points')}</a></p><//>`;

const All = ({ currencies }) => html`<${PointList} points=${withMain(usePages('/points'))}
  currencies=${currencies} />`;

function PointList({ points, currencies, children }) {
  const currency = currencies.length === 1 ? currencies[0] : undefined;
  const claims = useLoad(() => call('GET', '/regions?shared=true&page_size=20'));
  const list = {
    ...points,
    reload: () => {
      points.reload();
      claims.reload();
    },
  };
  const columns = [
    [
      t('point'),
      (point) => html`<b>${point.name || t('point_main')}</b><p class="muted"><code>${point.point_id}</code></p>`,
      'lead wide',
    ],
    [t('regions'), regionsText, 'wide'],
    [t('freight_extra'), (point) => extraText(point.freight_extra, currencies), 'number named'],
    [
      t('pickup'),
      (point) => html`${point.pickup ? t('yes') : t('no')}
        ${[point.address, point.hours].filter(Boolean).map((text) => html`<p class="muted">${text}</p>`)}`,
      'wide named',
    ],
    [
      '',
      (point) => html`<div class="row actions">
      <${Action} route="PUT /points/{point_id}"
        label=${t('edit')} title=${t('edit_title', { name: point.name || t('point_main') })} button=${t('save')}
        fields=${fieldsOf(point, currency)} run=${put(point, currency)} then=${list.reload} done=${savedText} />
      ${
        point.point_id !== '0' &&
        may('DELETE /points/{point_id}') &&
        html`<${Menu}><${Action} route="DELETE /points/{point_id}" label=${t('delete')} kind="danger"
        title=${t('delete_title', { name: point.name })} help=${t('delete_point_help')} then=${list.reload}
        done=${t('done_deleted', { name: point.name })}
        run=${(_, key, version = point.version) => call('DELETE', path(point.point_id), { version })} /><//>`
      }</div>`,
      'tools',
    ],
  ];
  return html`<div class="row heading"><h1>${t('menu_points')}</h1>
      <${Action} route="PUT /points/{point_id}"
        label=${t('new_point')} title=${t('new_point')} button=${t('save')} kind="go"
        fields=${fieldsOf(undefined, currency)} run=${put(undefined, currency)} then=${list.reload}
        done=${savedText} /></div>
    ${children}<p class="muted">${t('points_help')}</p><${Shared} claims=${claims} />
    <${List} list=${list} name=${t('menu_points')} columns=${columns}
      keyOf=${(point) => point.point_id} />`;
}
