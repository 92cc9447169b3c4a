// The list of the buyers of a sale, and its codes.
import { newKey } from '../../client/onrush.js';
import { html, useRef } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Problem } from '../shared/parts.js';
import { saveFile } from './list_parts.js';
import { Action } from './parts.js';

const perCall = 10_000; // users, as the server takes them
const mostBytes = 64 << 20; // of a file: a million user ids

// usersIn reads a user id from each line of a file, whose first line may name the column.
function usersIn(text) {
  const users = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replaceAll('""', '"'),
    )
    .filter(Boolean);
  return /^user(_?id)?$/i.test(users[0] ?? '') ? users.slice(1) : users;
}

// Upload puts the users of a file on the list, part by part. What failed is sent again with its keys.
function Upload({ path, then }) {
  const tried = useRef({ file: undefined, key: '' });
  const run = async (typed) => {
    const input = /** @type {HTMLInputElement} */ (document.querySelector('dialog input[name=file]'));
    const file = input?.files?.[0];
    if (file?.size > mostBytes) throw new Error(t('buyers_most'));
    const users = usersIn(file ? await file.text() : typed.users);
    if (users.length === 0) throw new Error(t('buyers_none'));
    if (!tried.current.key || tried.current.file !== file) tried.current = { file, key: newKey() };
    let added = 0;
    for (let from = 0; from < users.length; from += perCall) {
      const body = { user_ids: users.slice(from, from + perCall) };
      added += (await call('POST', path, { key: `${tried.current.key}-${from}`, body })).added;
    }
    tried.current = { file: undefined, key: '' };
    return { added };
  };
  const fields = [
    { name: 'users', label: t('buyers_users'), type: 'textarea', rows: 6, spellcheck: false },
    { name: 'file', label: t('buyers_file'), type: 'file', accept: '.txt,.csv,text/plain,text/csv' },
  ];
  return html`<${Action} route="POST /activities/{activity_id}/buyers" id="add-buyers" label=${t('buyers_add')}
    title=${t('buyers_add')} help=${t('buyers_add_help')} fields=${fields} run=${run} then=${then}
    done=${({ added }) => t('done_buyers_added', { n: number(added) })} />`;
}

function Codes({ sale, then }) {
  const fields = [
    { name: 'count', label: t('codes_count'), type: 'number', min: 1, max: perCall, required: true, initial: 100 },
    { name: 'uses', label: t('codes_uses'), type: 'number', min: 1, max: 1_000_000, required: true, initial: 1 },
  ];
  const run = async ({ count, uses }, key) => {
    const body = { count: Number(count), uses: Number(uses) };
    const made = await call('POST', `/activities/${sale.activity_id}/codes`, { key, body });
    const file = new Blob([`code\n${made.codes.join('\n')}\n`], { type: 'text/csv' });
    saveFile(file, `codes-${sale.activity_id}.csv`); // nobody can read them again
    return made;
  };
  return html`<${Action} route="POST /activities/{activity_id}/codes" id="make-codes" label=${t('codes_make')}
    title=${t('codes_make')} help=${t('codes_make_help')} fields=${fields} run=${run} then=${then}
    done=${({ codes }) => t('done_codes_made', { n: number(codes.length) })} />`;
}

function RevokeCodes({ sale, then }) {
  const fields = [
    { name: 'codes', label: t('codes_revoked'), type: 'textarea', rows: 6, spellcheck: false, required: true },
  ];
  const run = ({ codes }, key) => {
    const body = { codes: codes.split(/\s*\n\s*/).filter(Boolean) };
    return call('POST', `/activities/${sale.activity_id}/codes/revoke`, { key, body });
  };
  return html`<${Action} route="POST /activities/{activity_id}/codes/revoke" id="revoke-codes" kind="danger"
    label=${t('codes_revoke')} title=${t('codes_revoke')} help=${t('codes_revoke_help')} fields=${fields} run=${run}
    then=${then} done=${({ revoked }) => t('done_codes_revoked', { n: number(revoked) })} />`;
}

// Buyers shows who is on the list of a stored sale and what became of its codes, and changes them.
export function Buyers({ sale }) {
  const path = `/activities/${sale.activity_id}/buyers`;
  const { value, error, reload } = useLoad(() => call('GET', path));
  const [may, reserved] = [sale.eligibility ?? {}, sale.reserved_for ?? {}];
  const [list, code] = [may.list || reserved.list, may.code || reserved.code];
  if (!list && !code) return null;
  return html`<section class="card" id="buyers"><h2>${t('buyers_title')}</h2><${Problem} error=${error} />
    ${
      value &&
      html`<dl class="facts">
      ${list && html`<div><dt>${t('buyers_listed')}</dt><dd id="buyers-listed">${number(value.buyers)}</dd></div>`}
      ${
        code &&
        html`<div><dt>${t('codes_used')}</dt>
        <dd id="codes-used">${t('codes_used_of', { used: number(value.used), uses: number(value.uses) })}</dd></div>`
      }</dl>`
    }
    <div class="row">
      ${list && html`<${Upload} path=${path} then=${reload} />`}
      ${
        list &&
        value?.buyers > 0 &&
        html`<${Action} route="DELETE /activities/{activity_id}/buyers" id="clear-buyers" kind="danger"
        label=${t('buyers_clear')} title=${t('buyers_clear')} help=${t('buyers_clear_help')}
        run=${() => call('DELETE', path)} then=${reload} done=${t('done_buyers_cleared')} />`
      }
      ${code && html`<${Codes} sale=${sale} then=${reload} />`}
      ${code && value?.codes > 0 && html`<${RevokeCodes} sale=${sale} then=${reload} />`}</div></section>`;
}
