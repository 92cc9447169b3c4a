// Descriptions of sales and goods, which may be Markdown.
import { html, useEffect, useState } from '../vendor/preact-htm.js';

// mayBeMarkdown reports whether a text has signs of Markdown, which most plain texts have not.
export const mayBeMarkdown = (text) => /[*_`~#\\[<]|^[ \t]*([-+]|\d+[.)])[ \t]/m.test(text);

// Description shows a description. What reads Markdown is loaded with the first text that may have some; until then,
// and where that fails, the text is shown as it is.
export function Description({ text, kind = '' }) {
  const [{ draw }, set] = useState({ draw: undefined });
  const may = mayBeMarkdown(text);
  useEffect(() => {
    if (may && !draw) import('./markdown.js').then(set, () => {});
  }, [may]);
  const drawn = may && draw?.(text, html);
  return drawn
    ? html`<div class="description formatted ${kind}">${drawn}</div>`
    : html`<p class="description ${kind}">${text}</p>`;
}

// summary returns a description without the signs of Markdown, for lists.
export const summary = (text) =>
  mayBeMarkdown(text)
    ? text
        .replace(/\[([^\][]*)\]\([^()\s]*\)/g, '$1')
        .replace(/^[ \t]*(#{1,6}|[-+*]|\d+[.)])[ \t]+/gm, '')
        .replace(/(^|[\s(])[*_`~]{1,3}(?=[^\s*_`~])/gm, '$1')
        .replace(/([^\s*_`~])[*_`~]{1,3}(?=[\s).,;:!?]|$)/gm, '$1')
    : text;
