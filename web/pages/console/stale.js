// What others have changed since the reader loaded something, and the choice what counts.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Problem } from '../shared/parts.js';
import { actionText, Fields, shownFields } from './difference.js';
import { moment } from './moment.js';

export const isStale = (error) => error?.code === 'stale_version';

// Stale shows an error of saving. If others have changed the same thing meanwhile, it says what they changed, and the
// reader chooses: mine is called to keep the reader's changes, theirs to drop them, and apart, of what is new, to make
// something else of them.
export function Stale({ error, mine, theirs, apart }) {
  if (!isStale(error)) return html`<${Problem} error=${error} />`;
  const { changes = [] } = error.problem;
  return html`<div class="problem" id="stale" role="alert"><p>${t('problem_stale_version')}</p>
    ${changes.map(
      (c) => html`<p key=${c.change_id}>
      <b>${c.actor}</b> ${actionText(c.action)} ${moment(c.at)}</p>
      <${Fields} fields=${shownFields(c)} />`,
    )}
    <div class="row">
      ${
        mine &&
        error.problem.version &&
        html`
        <button type="button" class="quiet" id="stale-mine" onClick=${mine}>${t('stale_mine')}</button>`
      }
      <button type="button" class="quiet" id="stale-theirs" onClick=${theirs}>${t('stale_theirs')}</button>
      ${
        apart &&
        html`
        <button type="button" class="quiet" id="stale-apart" onClick=${apart}>${t('edit_apart')}</button>`
      }
      </div>
    </div>`;
}
