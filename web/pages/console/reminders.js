// How many buyers asked to be reminded of a sale, on its live page.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { may } from './me.js';

const every = 15_000; // ms

export function Reminders({ sale }) {
  const { value } = useEvery(every, async () => {
    if (!may('GET /activities/{activity_id}/reminders')) return undefined;
    return call('GET', `/activities/${sale.activity_id}/reminders`);
  });
  if (!value?.start && !value?.units) return null;
  return html`<p class="muted" id="reminders">
    ${t('reminders', { start: number(value.start), units: number(value.units) })}</p>`;
}
