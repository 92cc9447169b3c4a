// What a change changed: each field with its old and its new value.
import { html } from '../vendor/preact-htm.js';

// valueText shows a value, or none where there is no value.
export function valueText(value, none) {
  if (value === undefined) return none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Fields shows fields, each [name, old, new], whose values are texts.
export function Fields({ fields }) {
  return html`<dl class="difference">${fields.map(
    ([name, before, after]) => html`<div><dt>${name}</dt>
    <dd><del>${before}</del> <ins>${after}</ins></dd></div>`,
  )}</dl>`;
}
