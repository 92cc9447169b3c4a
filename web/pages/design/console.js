// Components of the console alone: the signs of a coming sale, and the alarm of a running sale.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Alarm, Sound } from '../console/alarm.js';
import { Readiness } from '../console/readiness.js';

const sale = {
  activity_id: 'design',
  starts_at: '2036-06-01T12:00:00Z',
  ends_at: '2036-06-01T12:01:00Z',
  human_check: 'none',
  purchase_limit: 2,
  waiting_room: { paths_per_second: 50 },
  skus: [{ sku_id: 'lamp', purchase_limit: -1, stock: [{ point_id: '0', quantity: 100 }] }],
};
const checks = [{ level: 'failure' }, { level: 'warning' }];

export function Readinesses() {
  return html`<div class="card"><${Readiness} sale=${sale} stats=${{ loaded: true }} checks=${[]} /></div>
    <div class="card"><${Readiness} sale=${{ ...sale, waiting_room: { paths_per_second: 1 }, purchase_limit: -1 }}
      stats=${{ loaded: false }} checks=${checks} /></div>
    <div class="card"><${Readiness} sale=${{ ...sale, waiting_room: undefined }} /></div>`;
}

export function Alarms() {
  const [on, change] = useState(false);
  return html`<div class="card"><${Alarm} title=${t('design')} reasons=${[['dead', t('alarm_dead', { dead: 3 })]]}
    on=${on} /><${Sound} on=${on} change=${change} /></div>`;
}
