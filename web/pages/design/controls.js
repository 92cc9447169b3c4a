// What a reader presses and fills in.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Dialog, Select } from '../shared/parts.js';
import { Icon } from '../shared/icons.js';
import { Upload } from '../console/upload.js';
import { Action, Field, Filters, Tabs } from '../console/parts.js';

const refuse = async () => {
  throw { code: 'unavailable' };
};

export function Buttons() {
  return html`<div class="row"><button class="go">${t('save')}</button><button>${t('cancel')}</button>
      <button class="quiet">${t('retry')}</button><button class="danger">${t('design_close_sale')}</button>
      <button class="go danger">${t('design_close_sale_now')}</button>
      <a class="button" href="#buttons">${t('design_link')}</a>
      <button class="quiet square" aria-label=${t('menu')}><${Icon} name="menu" /></button></div>
    <div class="row"><button class="go large" disabled aria-describedby="why">${t('save')}</button>
      <span class="muted" id="why">${t('design_why')}</span></div>
    <div class="row"><${Action} label=${t('design_fails')} run=${refuse} />
      <${Action} label=${t('design_asks')} title=${t('design_asks')} help=${t('design_dialogs_help')} kind="danger"
        fields=${[{ name: 'reason', label: t('design_field'), required: true }]} run=${async () => {}} /></div>`;
}

export function Fields() {
  const [values, change] = useState({ state: '' });
  const states = [
    ['', t('design_any')],
    ['paid', t('state_paid')],
  ];
  return html`<form class="card" onSubmit=${(e) => e.preventDefault()}>
      <${Field} name="empty" label=${t('design_field')} help=${t('design_field_help')} />
      <${Field} name="locked" label=${t('design_locked')} value="4900" readonly help=${t('design_locked_help')} />
      <${Field} name="off" label=${t('design_off')} value="CNY" disabled />
      <${Field} name="reasoned" label=${t('design_locked')} value="49.00" locked=${t('design_locked_help')} />
      <${Field} name="wrong" label=${t('design_wrong')} initial="12.345" error=${t('design_wrong_help')} />
      <${Field} name="picture" label=${t('image_url')} below=${Upload} initial="/assets/demo/lamp.svg" />
      <${Field} name="group" label=${t('design_group')} help=${t('design_group_help')} type="group" fields=${[
        { name: 'group-one', label: t('design_one'), type: 'checkbox', initial: true },
        { name: 'group-other', label: t('design_other'), type: 'checkbox' },
      ]} />
      <label>${t('design_choice')}<${Select} options=${states} /></label>
      <${Field} name="text" label=${t('design_text')} type="textarea" />
      <${Field} name="box" label=${t('design_box')} type="checkbox" initial=${true} />
      <label class="option"><input type="radio" name="way" checked />${t('design_one')}</label>
      <label class="option"><input type="radio" name="way" />${t('design_other')}</label></form>
    <${Filters} values=${values} change=${change} fields=${[
      { name: 'state', label: t('design_choice'), options: states },
      { name: 'word', label: t('design_field') },
    ]} />
    <${Tabs} name=${t('design_fields')} current="one" tabs=${[
      ['#fields', t('design_one'), 'one'],
      ['#fields', t('design_other'), 'other'],
    ]} />`;
}

export function Dialogs() {
  const [open, set] = useState(false);
  const close = () => set(false);
  return html`<button id="open-dialog" onClick=${() => set(true)}>${t('design_open')}</button>
    ${
      open &&
      html`<${Dialog} title=${t('design_dialogs')} close=${close}><p>${t('design_dialogs_help')}</p>
        <div class="row"><button class="go" onClick=${close}>${t('save')}</button>
          <button class="quiet" onClick=${close}>${t('cancel')}</button></div><//>`
    }`;
}
