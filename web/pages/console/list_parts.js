// Parts of the lists of orders, payments and refunds.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { download } from '../shared/server.js';
import { Action } from './parts.js';

// choices are the options of a filter by state.
export const choices = (names) => [['', t('all')], ...names.map((name) => [name, t(`state_${name}`)])];

// Download saves a list as a file. It needs the token, so that a plain link would not do.
export function Download({ path, filters }) {
  const run = async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await download(`${path}?${new URLSearchParams(filters)}`));
    link.download = path.slice(1);
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return html`<${Action} label=${t('download')} run=${run} />`;
}
