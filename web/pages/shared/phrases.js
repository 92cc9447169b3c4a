// Where a short text may break: after punctuation, and in Chinese between words.
import { html } from '../vendor/preact-htm.js';
import { language } from './texts.js';

const words = language === 'zh' && Intl.Segmenter ? new Intl.Segmenter('zh', { granularity: 'word' }) : undefined;

/**
 * phrased draws a text whose parts, which end with punctuation, stay whole where a line has room for them. Browsers
 * break Chinese between any two characters: a part of it breaks between words only.
 *
 * @param {string} text
 */
export function phrased(text) {
  const parts = text.split(/(?<=[·,:;] )|(?<=[，：；。！？])(?=.)/);
  if (parts.length === 1) return broken(text);
  return parts.map((part) => html`<span class="phrase">${broken(part.trimEnd())}</span>${part.endsWith(' ') && ' '}`);
}

/**
 * broken puts a place to break between two Chinese words of a longer text. Those beside punctuation and figures have
 * their own.
 *
 * @param {string} text
 */
export function broken(text) {
  if (!words || !/\p{Script=Han}/u.test(text)) return text;
  const parts = [...words.segment(text)].map(({ segment }) => segment);
  const isWord = (part) => /^\p{Script=Han}/u.test(part ?? '');
  return parts.map((part, i) => (isWord(part) && isWord(parts[i - 1]) ? html`<wbr />${part}` : part));
}

// dotted puts a place to break after each dot of a name, such as order.paid or shop.example.
export const dotted = (name) => name.split(/(?<=\.)(?=\p{L})/u).map((part, i) => (i > 0 ? html`<wbr />${part}` : part));
