// What others have changed since the reader loaded something, and the choice what counts.
import { html } from '../shared/preact-htm.js';
import { language, t } from '../shared/texts.js';
import { Problem } from '../shared/parts.js';

export const isStale = (error) => error?.code === 'stale_version';

const text = (value) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value));

// Stale shows an error of saving. If others have changed the thing meanwhile, it says what, and the reader chooses: mine
// is called to keep the reader's changes, theirs to drop them.
export function Stale({ error, mine, theirs }) {
  if (!isStale(error)) return html`<${Problem} error=${error} />`;
  const { changes = [] } = error.problem;
  return html`<div class="problem" id="stale" role="alert"><p>${t('problem_stale_version')}</p>
    ${changes.map((c) => html`<p key=${c.change_id}><b>${c.actor}</b> <code>${c.action}</code> ${new Date(c.at).toLocaleString(language)}</p>
      <dl class="difference">${c.fields.map((f) => html`<div><dt>${f.field}</dt><dd><del>${text(f.from)}</del> <ins>${text(f.to)}</ins></dd></div>`)}</dl>`)}
    <div class="row">${mine && error.problem.version && html`<button type="button" class="quiet" id="stale-mine" onClick=${mine}>${t('stale_mine')}</button>`}
      <button type="button" class="quiet" id="stale-theirs" onClick=${theirs}>${t('stale_theirs')}</button></div></div>`;
}
