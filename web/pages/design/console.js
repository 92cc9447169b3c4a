// Components of the console alone: the signs of a coming sale, the alarm of a running sale, what a change did, a menu,
// and a secret.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Alarm } from '../console/alarm.js';
import { Menu } from '../console/menu.js';
import { Readiness } from '../console/readiness.js';
import { Secret } from '../console/secret.js';
import { SoundSwitch } from '../console/sound.js';
import { say, Toast } from '../console/toast.js';

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
  return html`<div class="card"><${Alarm} title=${t('design')} reasons=${[['dead', t('alarm_dead', { dead: 3 })]]} />
    <${SoundSwitch} /></div>`;
}

export function Toasts() {
  const undo = () => Promise.resolve();
  return html`<div class="row">
      <button type="button" class="quiet" id="say" onClick=${() => say(t('design_said'), { undo })}>
        ${t('design_say')}</button>
      <button type="button" class="quiet" onClick=${() => say(t('design_said_failed'), { kind: 'bad' })}>
        ${t('design_say_failed')}</button></div>
    <${Toast} />`;
}

export function Menus() {
  return html`<div class="row"><${Menu}><button type="button">${t('design_other')}</button>
    <button type="button" class="danger">${t('design_close_sale')}</button><//></div>`;
}

export function Secrets() {
  const [shown, show] = useState(false);
  return html`<button type="button" class="quiet" id="open-secret" onClick=${() => show(true)}>
      ${t('design_secret_open')}</button>
    ${
      shown &&
      html`<${Secret} title=${t('design_secret')} help=${t('design_secret_help')} secret="ok_design"
        close=${() => show(false)} />`
    }`;
}
