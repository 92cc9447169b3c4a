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

// t returns a text, with {name} replaced by values. A figure stays on one line with the unit after it.
export function t(key, values = {}) {
  const text = (texts[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  return text.replace(/(?<=\d) (?=\p{Script=Han}|(?:ms|s|sec|min|h|KB|MB)\b)/gu, '\u00a0');
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

// duration returns a time in ms as 1:02:03 or 2:03, the one form of what ticks.
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
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// clock returns the time of day of a time, with the reader's zone, and with its day if that is not today.
export function clock(text) {
  const at = new Date(text);
  if (at.toDateString() !== new Date().toDateString()) return moment(text);
  return timeText(at, { time: minutes });
}

// roughly returns a time in ms in words, such as 6 minutes: in seconds below two minutes, in hours from two hours.
export function roughly(ms) {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const [unit, each] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600];
  return inUnit(seconds / Number(each), String(unit), 'long');
}

/**
 * inUnit writes a number with its unit. In Chinese a space parts them, as in the texts around it.
 *
 * @param {number} n
 * @param {string} unit
 * @param {'long' | 'short'} unitDisplay
 */
export function inUnit(n, unit, unitDisplay) {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 0 });
  return format.format(n).replace(/(\d)(?=\p{Script=Han})/u, '$1 ');
}

// whole keeps a date or a time on one line. Browsers break Chinese beside each character.
export const whole = (text) =>
  text
    .replaceAll(' ', '\u00a0')
    .replace(/(?<=\p{Script=Han})(?=[\d\p{Script=Han}])|(?<=\d)(?=\p{Script=Han})/gu, '\u2060');

// zoneOf returns the name of the reader's zone at a time. In Chinese it is the distance from UTC.
export function zoneOf(at) {
  const timeZoneName = language === 'zh' ? 'shortOffset' : 'short';
  const parts = new Intl.DateTimeFormat(language, { timeZoneName }).formatToParts(at);
  const { value } = parts.find(({ type }) => type === 'timeZoneName');
  return language === 'zh' ? value.replace('GMT', 'UTC').replace(/\+0$/, '') : value;
}

/**
 * timeText writes a time in the reader's zone: its date, if there is a form of it, its time of day, and the zone unless
 * a heading has it. A line may end between the date and the time of day only.
 *
 * @param {Date} at
 * @param {{ date?: Intl.DateTimeFormatOptions, time: Intl.DateTimeFormatOptions, zone?: boolean }} forms
 */
export function timeText(at, { date, time, zone = true }) {
  const format = (form) => whole(new Intl.DateTimeFormat(language, form).format(at).replace(/日(?=周)/, '日 '));
  const parts = [date && format(date), format(time) + (zone ? `\u00a0${zoneOf(at)}` : '')];
  return parts.filter(Boolean).join(language === 'zh' ? ' ' : ', ');
}

/** @type {Intl.DateTimeFormatOptions} */
const minutes = { hour: 'numeric', minute: '2-digit' };

// moment returns a time with its day and its zone, and with its year if that is not this one.
export function moment(text) {
  const at = new Date(text);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return timeText(at, { date: { weekday: 'short', day: 'numeric', month: 'short', year }, time: minutes });
}
