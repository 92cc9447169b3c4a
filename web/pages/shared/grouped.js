// Long codes and numbers in groups, which are easier to read out and type.
import { html } from '../vendor/preact-htm.js';

// grouped draws a long code or number in groups of four, for an element of the class grouped. What is copied has no
// spaces.
export const grouped = (code) =>
  /^[\p{L}\p{N}]{9,}$/u.test(code) ? code.match(/.{1,4}/gu).map((part) => html`<span>${part}</span>`) : code;
