// The stock points: where stock is, which regions each serves, and where buyers pick up.
import { html } from '../shared/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action, List, save, usePages } from './parts.js';

const path = (id) => `/points/${encodeURIComponent(id)}`;
const regionsOf = (text) => text.split(/[\s,]+/).filter(Boolean);

const fieldsOf = (point) => [
  ...(point ? [] : [{ name: 'point_id', label: t('point_id'), required: true, maxlength: 32, pattern: '[A-Za-z0-9\\-]+' }]),
  { name: 'name', label: t('name'), required: true, maxlength: 200, initial: point?.name },
  { name: 'regions', label: t('regions'), help: t('regions_help'), type: 'textarea', initial: point?.regions.join(', ') },
  { name: 'freight_extra', label: t('freight_extra'), help: t('minor_units'), type: 'number', min: 0, initial: point?.freight_extra ?? 0 },
  { name: 'pickup', label: t('pickup'), type: 'checkbox', initial: point?.pickup },
];

const put = (point) => (v) => save(point, path(point?.point_id ?? v.point_id), {
  body: {
    name: v.name, regions: regionsOf(v.regions), freight_extra: Number(v.freight_extra), pickup: v.pickup === 'true',
    version: point?.version,
  },
});

export function Points() {
  const list = usePages('/points');
  const columns = [
    [t('point'), (point) => html`<b>${point.name}</b><p class="muted"><code>${point.point_id}</code></p>`],
    [t('regions'), (point) => (point.regions.length ? point.regions.join(', ') : t('regions_rest')), 'wide'],
    [t('freight_extra'), (point) => point.freight_extra, 'number'],
    [t('pickup'), (point) => (point.pickup ? t('yes') : t('no'))],
    ['', (point) => html`<div class="row actions">
      <${Action} label=${t('edit')} title=${t('edit')} fields=${fieldsOf(point)} run=${put(point)} then=${list.reload} />
      ${point.point_id !== '0' && html`<${Action} label=${t('delete')} title=${t('delete_title', { name: point.name })} kind="danger"
        run=${() => call('DELETE', path(point.point_id))} then=${list.reload} />`}</div>`],
  ];
  return html`<div class="row heading"><h1>${t('menu_points')}</h1>
      <${Action} label=${t('new_point')} title=${t('new_point')} kind="go" fields=${fieldsOf()} run=${put()} then=${list.reload} /></div>
    <p class="muted">${t('points_help')}</p>
    <${List} list=${list} name=${t('menu_points')} columns=${columns} empty=${t('points_none')} keyOf=${(point) => point.point_id} />`;
}
