// The import of a partner's voucher codes.
import { newKey } from '/assets/onrush.js';
import { html, useRef } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action } from './parts.js';

const perCall = 10_000; // codes, as the server takes them
const most = 100_000; // codes of one import, which a page can show
const isCode = /^[!-~]{1,64}$/;
const named = 5; // lines that are no codes

// codesIn reads a code from each line: {codes, wrong}. wrong are the numbers of the lines that have none, but are not
// empty.
function codesIn(text = '') {
  const found = { codes: [], wrong: [] };
  text.split('\n').forEach((line, i) => {
    const code = line.trim();
    if (isCode.test(code)) found.codes.push(code);
    else if (code) found.wrong.push(i + 1);
  });
  return found;
}

const refusedText = (wrong) =>
  t('codes_refused', {
    count: number(wrong.length),
    lines: wrong.slice(0, named).join(', ') + (wrong.length > named ? ' …' : ''),
  });

const mostText = () => t('codes_most', { most: number(most) });

function countsOf({ codes }) {
  const found = codesIn(codes);
  const counted = t('codes_counted', { codes: number(found.codes.length) });
  return html`${counted}${found.wrong.length > 0 && html`<br />${refusedText(found.wrong)}`}`;
}

// take puts the text of a chosen file where codes are typed, so that the reader sees it.
async function take({ target }) {
  const [file] = target.files;
  target.setCustomValidity(file?.size > most * 66 ? mostText() : '');
  if (!file || !target.reportValidity()) return;
  const { codes } = target.form.elements;
  codes.value = await file.text();
  codes.dispatchEvent(new Event('input', { bubbles: true }));
}

// importAll sends the codes of a text, in calls of bounded size: {imported, known, repeated}. Where one line has no
// code nothing is sent, as the server imports nothing then.
async function importAll(sku, text, key) {
  const { codes, wrong } = codesIn(text);
  if (wrong.length) throw new Error(t('codes_nothing'));
  if (codes.length > most) throw new Error(mostText());
  const counts = { imported: 0, known: 0, repeated: 0 };
  for (let from = 0; from < codes.length; from += perCall) {
    const body = { codes: codes.slice(from, from + perCall) };
    const path = `/skus/${encodeURIComponent(sku)}/vouchers:import`;
    const { accepted, skipped } = await call('POST', path, { key: `${key}-${from}`, body });
    counts.imported += accepted;
    for (const { reason } of skipped) counts[reason] += 1;
  }
  return counts;
}

// importedText says what an import did, {sku, imported, known, repeated}.
export const importedText = ({ sku, ...counts }) =>
  t('codes_imported', {
    sku,
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, number(count)])),
  });

// ImportCodes takes codes of a sku that are pasted or in a file; then gets what importedText takes. A text that failed
// is sent again with its keys, so that what was imported of it counts as that.
export function ImportCodes({ sku, then }) {
  const tried = useRef({ text: '', key: '' });
  const run = async ({ codes }) => {
    if (tried.current.text !== codes) tried.current = { text: codes, key: newKey() };
    const counts = await importAll(sku.sku_id, codes, tried.current.key);
    tried.current = { text: '', key: '' };
    return { sku: sku.sku_id, ...counts };
  };
  const fields = [
    { name: 'codes', label: t('codes'), type: 'textarea', rows: 8, required: true, spellcheck: false },
    { name: 'file', label: t('codes_file'), type: 'file', accept: '.txt,.csv,text/plain', onChange: take },
  ];
  return html`<${Action} route="POST /skus/{sku_id}/vouchers:import" id="import-${sku.sku_id}"
    label=${t('import_codes')} title=${t('import_codes_title', { name: sku.title })} help=${t('import_codes_help')}
    fields=${fields} preview=${countsOf} run=${run} then=${then} />`;
}
