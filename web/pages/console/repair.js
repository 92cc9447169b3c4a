// Repair sets what Redis has of a sale from the orders in SQL.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action } from './parts.js';

export function Repair({ sale: { activity_id: id }, then }) {
  return html`<${Action} route="POST /activities/{activity_id}/audit/repair" label=${t('repair')}
    title=${t('repair')} help=${t('repair_help')} id="repair-${id}" then=${then} done=${t('done_repaired')}
    run=${(_, key) => call('POST', `/activities/${id}/audit/repair`, { key })} />`;
}
