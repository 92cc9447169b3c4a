// Who changed what.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Fields, valueText } from './difference.js';
import { Filters, List, moment, usePages } from './parts.js';

export function Changes() {
  const [filters, setFilters] = useState({ actor: '', on: '', action: '' });
  const list = usePages('/changes', filters);
  const fields = [
    { name: 'actor', label: t('operator'), maxlength: 64 },
    { name: 'on', label: t('thing'), placeholder: 'sku:lamp', maxlength: 120 },
    { name: 'action', label: t('action'), placeholder: 'activity.published', maxlength: 40 },
  ];
  const columns = [
    [t('at'), (c) => moment(c.at)],
    [t('operator'), (c) => html`<b>${c.actor}</b><p class="muted">${c.client_ip}</p>`],
    [t('action'), (c) => html`<code>${c.action}</code>`],
    [t('thing'), (c) => html`<code>${c.on}</code>`],
    [t('difference'), (c) => html`<${Difference} before=${c.before} after=${c.after} />`, 'wide'],
  ];
  return html`<h1>${t('menu_changes')}</h1><p class="muted">${t('changes_help')}</p>
    <${Filters} fields=${fields} values=${filters} change=${setFilters} />
    <${List} list=${list} name=${t('menu_changes')} columns=${columns} empty=${t('changes_none')}
      keyOf=${(c) => c.change_id} />`;
}

// Difference shows the fields that differ.
function Difference({ before = {}, after = {} }) {
  const text = (value) => valueText(value, '');
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => text(before[name]) !== text(after[name]),
  );
  if (names.length === 0) return '–';
  return html`<details><summary>${names.slice(0, 4).join(', ')}${names.length > 4 ? ' …' : ''}</summary>
    <${Fields} fields=${names.map((name) => [name, text(before[name]), text(after[name])])} /></details>`;
}
