// A sale as the file that "onrush activities apply" takes.
import { html, useState } from '../vendor/preact-htm.js';
import { copy } from '../shared/copy.js';
import { t } from '../shared/texts.js';
import { Dialog, Problem } from '../shared/parts.js';
import { bodyOf } from './edit_form.js';

// scalar writes a value of YAML: texts with quotes, as JSON has them, so that none is taken for something else.
const scalar = (value) => JSON.stringify(value);

// lines writes the fields of an object, each with indent before it.
function lines(fields, indent = '') {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => {
      if (Array.isArray(value)) {
        if (value.length === 0) return [`${indent}${name}: []`];
        return [`${indent}${name}:`, ...value.flatMap((item) => itemLines(item, indent))];
      }
      if (typeof value === 'object') return [`${indent}${name}:`, ...lines(value, `${indent}  `)];
      return [`${indent}${name}: ${scalar(value)}`];
    });
}

function itemLines(item, indent) {
  if (typeof item !== 'object') return [`${indent}  - ${scalar(item)}`];
  const [first, ...rest] = lines(item, `${indent}    `);
  return [`${indent}  - ${first.trim()}`, ...rest];
}

// fileOf is the file of a sale as its form has it. sale is the stored one, if there is one.
function fileOf(id, form, skus, sale) {
  const state = sale?.state === 'offline' ? undefined : (sale?.state ?? 'draft');
  return `${lines({ activity_id: id, state, ...bodyOf(form, skus, sale) }).join('\n')}\n`;
}

export function File({ id, form, skus, sale }) {
  const [state, set] = useState({});
  const open = () => {
    try {
      set({ text: fileOf(id, form, skus, sale) });
    } catch (error) {
      set({ error });
    }
  };
  const close = () => set({});
  const take = async () => set({ ...state, copied: await copy(state.text) });
  return html`<button type="button" class="quiet" id="file" onClick=${open}>${t('sale_file')}</button>
    ${
      (state.text || state.error) &&
      html`<${Dialog} title=${t('sale_file')} close=${close}>
      <p class="muted">${t('sale_file_help')} <code>onrush activities apply -f ${id}.yaml</code></p>
      <${Problem} error=${state.error} />
      ${state.text && html`<pre class="file" tabindex="0">${state.text}</pre>`}
      <p role="status" id="file-copy">${state.copied === false && t('copy_failed')}</p>
      <div class="row">
        ${
          state.text &&
          html`<button type="button" class="go" onClick=${take}>${t(state.copied ? 'copied' : 'copy')}</button>
          <a class="button" download="${id}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(state.text)}`}>${t('download_file')}</a>`
        }
        <button type="button" class="quiet" onClick=${close}>${t('close')}</button></div><//>`
    }`;
}
