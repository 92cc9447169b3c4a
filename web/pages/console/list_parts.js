// Parts of the lists of orders, payments and refunds.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { download } from '../shared/server.js';
import { Action } from './parts.js';

// choices are the options of a filter by state.
export const choices = (names) => [['', t('all')], ...names.map((name) => [name, t(`state_${name}`)])];

// save saves what a path answers as a file. That needs the token, so that a plain link would not do.
export const save = async (path, name) => saveFile(await download(path), name);

// saveFile saves a file that the page has.
export function saveFile(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// Download saves a list as a file, with a byte order mark for spreadsheets.
export function Download({ path, filters }) {
  const run = () => save(`${path}?${new URLSearchParams({ ...filters, bom: '1' })}`, path.slice(1));
  return html`<${Action} label=${t('download')} run=${run} done=${null} />`;
}

// pointText names a stock point: by its name, if that is known, or its id. Point 0 is always named as such.
export const pointText = (id, name) => (id === '0' ? `${name || t('point_main')} (0)` : name || id);
