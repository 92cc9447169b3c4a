// Texts in the reader's language.
import en from './text_en.js';
import zh from './text_zh.js';
import { minorDigits } from './currency.js';
import { ownName } from './settings.js';

export const languages = { en: 'English', zh: '中文' };
const texts = { en: { ...en }, zh: { ...zh } };

const chosen = localStorage.getItem(ownName('language')) ?? navigator.language.slice(0, 2);
export const language = chosen in texts ? chosen : 'en';
document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';

// addTexts adds the texts of a page, by language.
export function addTexts(more) {
  for (const code of Object.keys(languages)) Object.assign(texts[code], more[code]);
}

// t returns a text, with {name} replaced by values. In Chinese, a figure stays on one line with the unit after it.
export function t(key, values = {}) {
  const text = (texts[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  return text.replace(/(?<=\d) (?=\p{Script=Han})/gu, '\u00a0');
}

// has reports whether there is a text.
export const has = (key) => key in texts[language];

// problemText says what a problem means for the reader, and what to do next.
export function problemText(error) {
  const key = `problem_${error.code}`;
  if (has(key)) return t(key, { detail: error.problem?.detail });
  return error.problem?.detail || error.message || t('problem_internal');
}

export function choose(code) {
  localStorage.setItem(ownName('language'), code);
  location.reload();
}

// money shows an amount in minor units in major ones.
export function money(amount, currency) {
  const digits = minorDigits(currency);
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits);
}

// off says by how much a price that is a part of another is lower: −69%, and in Chinese the tenths to pay: 3.1 折.
export function off(part) {
  if (language === 'zh') return `${number(Math.min(9.9, Math.round(part * 100) / 10))} 折`;
  return `−${new Intl.NumberFormat(language, { style: 'percent' }).format(1 - part)}`;
}

const numbers = new Intl.NumberFormat(language);
export const number = (n) => numbers.format(n);

// duration returns a time in ms as 1:02:03 or 02:03.
export function duration(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (n) => String(n).padStart(2, '0');
  const [d, h, m, s] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  if (d > 0) {
    return t('days', { days: d, rest: `${two(h)}:${two(m)}:${two(s)}` });
  }
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${two(m)}:${two(s)}`;
}

// span returns a time in ms with its two largest units, such as 14 min 36 s: beside "within" and "left", 14:36 would be
// read as a time of day.
export function span(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  /** @type {[string, number][]} */
  const units = [
    ['days', Math.floor(seconds / 86400)],
    ['hours', Math.floor(seconds / 3600) % 24],
    ['minutes', Math.floor(seconds / 60) % 60],
    ['seconds', seconds % 60],
  ];
  const first = units.findIndex(([, n]) => n > 0);
  const shown = first < 0 ? units.slice(-1) : units.slice(first, first + 2);
  return shown.map(([unit, n]) => t(`span_${unit}`, { n })).join(' ');
}

// clock returns the time of day of a time, with the reader's zone, and with its day if that is not today.
export function clock(text) {
  const at = new Date(text);
  if (at.toDateString() !== new Date().toDateString()) return moment(text);
  /** @type {Intl.DateTimeFormatOptions} */
  const format = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' };
  return new Intl.DateTimeFormat(language, format).format(at);
}

// roughly returns a time in ms in words, such as 6 minutes: in seconds below two minutes, in hours from two hours.
export function roughly(ms) {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const [unit, each] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600];
  /** @type {Intl.NumberFormatOptions} */
  const format = { style: 'unit', unit: String(unit), unitDisplay: 'long', maximumFractionDigits: 0 };
  const text = new Intl.NumberFormat(language, format).format(seconds / Number(each));
  return text.replace(/(\d)(?=\p{Script=Han})/u, '$1 '); // as the texts around it are set
}

// moment returns a time with its day and its zone, and with its year if that is not this one.
export function moment(text) {
  const at = new Date(text);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  /** @type {Intl.DateTimeFormatOptions} */
  const format = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' };
  return new Intl.DateTimeFormat(language, { ...format, year, timeZoneName: 'short' }).format(at);
}
