// A safe part of Markdown, drawn as elements: paragraphs, emphasis, lists, headings, code and links. All else is text
// as it was written, HTML and pictures among it. Nothing of a text becomes HTML or the name of an attribute.
import { getDefaults, Lexer, Tokenizer } from '../vendor/marked.js';

export const longest = 5000; // characters: the longest description that the server takes
const deepest = 12; // levels of what is nested
const mostMarks = 400; // of emphasis: each is compared with those behind it

// Plain leaves out of Markdown what would change texts that were not written as Markdown, and what is not drawn.
class Plain extends Tokenizer {
  // link reads a link without brackets in its text or its address, in linear time, and leaves a picture as it is.
  link(src) {
    const [raw, picture, text, href] = src.match(/^(!?)\[([^\][]*)\]\(([^\s()<>]*)\)/) ?? [];
    if (raw === undefined) return undefined;
    if (picture) return { type: 'text', raw, text: raw };
    return { type: 'link', raw, href, text, tokens: this.lexer.inlineTokens(text) };
  }
}
for (const name of ['code', 'html', 'tag', 'def', 'table', 'lheading', 'hr', 'blockquote', 'url', 'reflink']) {
  Plain.prototype[name] = () => undefined;
}

// draw returns the elements of a text, or undefined where it has nothing but plain text. html makes elements: this
// module is loaded later, and would take Preact out of the files of the first view.
export function draw(text, html) {
  if (text.length > longest || text.split(/[*_~]/).length > mostMarks) return undefined;
  let blocks;
  try {
    blocks = new Lexer({ ...getDefaults(), breaks: true, tokenizer: new Plain() }).lex(text);
  } catch {
    return undefined; // it is nested too deep
  }
  return blocks.every(isPlain) ? undefined : all(blocks, html, 0);
}

const isPlain = ({ type, tokens = [] }) =>
  ['space', 'text', 'br'].includes(type) || (type === 'paragraph' && tokens.every(isPlain));

const all = (tokens, html, depth) =>
  tokens.map((token) => (depth > deepest ? token.raw : element(token, html, depth + 1)));

// firstHeading is the level of the highest heading: those above it are the page's own.
const firstHeading = 3;
const lastHeading = 6;

function element(token, html, depth) {
  const inside = () => (token.tokens ? all(token.tokens, html, depth) : token.text);
  switch (token.type) {
    case 'space':
      return '';
    case 'paragraph':
      return html`<p>${inside()}</p>`;
    case 'heading':
      return html`<${`h${Math.min(token.depth + firstHeading - 1, lastHeading)}`}>${inside()}<//>`;
    case 'list':
      return html`<${token.ordered ? 'ol' : 'ul'} start=${token.start || undefined}>${token.items.map(
        (item) => html`<li>${all(item.tokens, html, depth)}</li>`,
      )}<//>`;
    case 'code':
      return html`<pre><code>${token.text}</code></pre>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'strong':
      return html`<strong>${inside()}</strong>`;
    case 'em':
      return html`<em>${inside()}</em>`;
    case 'del':
      return html`<del>${inside()}</del>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return isSafe(token.href)
        ? html`<a href=${token.href} target="_blank" rel="noopener nofollow">${inside()}</a>`
        : token.raw;
    case 'text':
      return inside();
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

// isSafe reports whether a link leads to a page or to a mailbox.
function isSafe(href) {
  try {
    return ['https:', 'http:', 'mailto:'].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}
