// An input of a file in the words of the page: a browser's own are in the language of the browser.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

export function FileInput({ id, onChange, ...rest }) {
  const [name, set] = useState('');
  const change = (e) => {
    set(e.currentTarget.files[0]?.name ?? '');
    onChange?.(e);
  };
  return html`<span class="chooser"><input id=${id} type="file" onChange=${change} ...${rest} />
    <label class="button quiet" for=${id}>${t('upload')}</label>
    <span class="muted">${name || t('upload_none')}</span></span>`;
}
