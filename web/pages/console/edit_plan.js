// What saving the form of a published sale will change, before it does.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Dialog } from '../shared/parts.js';
import { Fields } from './difference.js';

export function Plan({ plan, names, apply, close }) {
  return html`<${Dialog} title=${t('edit_plan')} close=${close}>
    <${Fields} fields=${plan.differences} titleOf=${names.titleOf} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${apply}>${t('save')}</button>
      <button type="button" class="quiet" onClick=${close}>${t('cancel')}</button></div><//>`;
}
