// A partner's voucher codes: their import, and taking back what no buyer has.
import { newKey } from '../../client/onrush.js';
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { codesIn } from './code_lines.js';
import { Action, readAll } from './parts.js';

const perCall = 10_000; // codes, as the server takes them
const most = 100_000; // codes of one dialog, which a page can show

const mostText = () => t('codes_most', { most: number(most) });

function countsOf({ codes }, importing) {
  const found = codesIn(codes, importing);
  const n = found.codes.length;
  const counted = n === 1 ? t('codes_counted_one') : t('codes_counted', { codes: number(n) });
  if (found.wrong.length === 0) return counted;
  return html`<span class="bad">${wrongText(codes, found)}</span>
    <details class="raw"><summary>${t('codes_rules')}</summary>${t('codes_rules_are')}</details>
    <span class="muted">${counted}</span>`;
}

// take puts the text of a chosen file where codes are typed.
async function take({ target }) {
  const [file] = target.files;
  target.setCustomValidity(file?.size > most * 66 ? mostText() : '');
  if (!file || !target.reportValidity()) return;
  const { codes } = target.form.elements;
  codes.value = await file.text();
  codes.dispatchEvent(new Event('input', { bubbles: true }));
}

// whyWrong says why a line has no code.
function whyWrong(line) {
  if (/[,;\t]/.test(line)) return t('codes_why_columns');
  if (/\s/.test(line)) return t('codes_why_space');
  return t(line.length > 64 ? 'codes_why_long' : 'codes_why_other');
}

// wrongText says what is wrong with the first line that has no code, and how many others have none.
function wrongText(text, { wrong }) {
  const [line, ...others] = wrong;
  if (!line) return '';
  const typed = text.split('\n')[line - 1].trim();
  const first = t('codes_line', { line: number(line), text: typed, why: whyWrong(typed) });
  return others.length > 0 ? `${first} ${t('codes_more_lines', { count: number(others.length) })}` : first;
}

// read returns the codes of a text, all of whose lines have one: the field refuses others, since the server would do
// nothing then.
function read(text, importing) {
  const { codes } = codesIn(text, importing);
  if (codes.length > most) throw new Error(mostText());
  return codes;
}

// useSender returns a function that sends codes of a sku in calls of bounded size, and returns their answers. What
// failed is sent again with its keys.
function useSender(sku, act) {
  const tried = useRef({ text: '', key: '' });
  return async (codes, more = {}) => {
    const text = JSON.stringify([codes, more]);
    if (tried.current.text !== text) tried.current = { text, key: newKey() };
    const answers = [];
    for (let from = 0; from === 0 || from < codes.length; from += perCall) {
      const body = { ...more, codes: codes.slice(from, from + perCall) };
      const path = `/skus/${encodeURIComponent(sku.sku_id)}/vouchers:${act}`;
      answers.push(await call('POST', path, { key: `${tried.current.key}-${from}`, body }));
    }
    tried.current = { text: '', key: '' };
    return answers;
  };
}

// codesText says what was done with codes: {done, sku, ...counts}.
export const codesText = ({ done, sku, ...counts }) =>
  t(`codes_${done}`, {
    sku,
    ...Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n === undefined ? '–' : number(n)])),
  });

// codeFields are where codes are typed, or taken from a file.
const codeFields = (importing) => [
  {
    name: 'codes',
    label: t('codes'),
    type: 'textarea',
    rows: 8,
    required: importing,
    spellcheck: false,
    onInput: ({ target }) => target.setCustomValidity(wrongText(target.value, codesIn(target.value, importing))),
  },
  { name: 'file', label: t('codes_file'), type: 'file', accept: '.txt,.csv,text/plain', onChange: take },
];

// leftOf is how many codes of a sku no buyer has; undefined where it can't be read.
const leftOf = (sku) =>
  readAll('/vouchers').then(
    (pools) => pools.find((pool) => pool.sku_id === sku.sku_id)?.left,
    () => undefined,
  );

// ImportCodes takes codes of a sku that are pasted or in a file; then gets what codesText takes.
export function ImportCodes({ sku, then }) {
  const send = useSender(sku, 'import');
  const run = async ({ codes }) => {
    const counts = { imported: 0, known: 0, repeated: 0 };
    for (const { accepted, skipped } of await send(read(codes, true))) {
      counts.imported += accepted;
      for (const { reason } of skipped) counts[reason] += 1;
    }
    return { done: 'imported', sku: sku.sku_id, ...counts, left: await leftOf(sku) };
  };
  return html`<${Action} route="POST /skus/{sku_id}/vouchers:import" id="import-${sku.sku_id}"
    label=${t('import_codes')} title=${t('import_codes_title', { name: sku.title })} help=${t('import_codes_help')}
    fields=${codeFields(true)} preview=${(typed) => countsOf(typed, true)} run=${run} then=${then}
    done=${null} />`;
}

// WithdrawCodes takes back codes of a sku that no buyer has, or all of them.
export function WithdrawCodes({ sku, then }) {
  const send = useSender(sku, 'withdraw');
  const [left, setLeft] = useState();
  const onOpen = () => leftOf(sku).then(setLeft);
  const run = async ({ codes, all }) => {
    const chosen = all ? [] : [...new Set(read(codes, false))];
    if (!all && chosen.length === 0) throw new Error(t('withdraw_codes_which'));
    const answers = await send(chosen, { all: Boolean(all) });
    const withdrawn = answers.reduce((sum, a) => sum + a.withdrawn, 0);
    return { done: 'withdrawn', sku: sku.sku_id, withdrawn, kept: all ? 0 : chosen.length - withdrawn };
  };
  const label = t('type_to_confirm', { what: sku.sku_id });
  const allText =
    left === undefined ? t('withdraw_codes_all') : t('withdraw_codes_left', { left: number(left), sku: sku.sku_id });
  const fields = ({ all }) => [
    { name: 'all', label: allText, type: 'checkbox' },
    ...(all ? [] : codeFields(false)),
    { name: 'confirm', label, required: true, pattern: sku.sku_id.replaceAll('.', '\\.') },
  ];
  const preview = (typed) => !typed.all && countsOf(typed, false);
  const button = ({ all, codes }) => {
    const n = all ? left : new Set(codesIn(codes, false).codes).size;
    return n > 1 ? t('withdraw_codes_n', { n: number(n) }) : t('withdraw_codes');
  };
  return html`<${Action} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${sku.sku_id}" kind="danger"
    label=${t('withdraw_codes')} title=${t('withdraw_codes')} help=${t('withdraw_codes_help')} fields=${fields}
    onOpen=${onOpen} preview=${preview} button=${button} run=${run} then=${then} done=${null} />`;
}
