// Times as the console shows them: to the second, in the reader's zone. Every format has the same order and 24 hours.
import { html } from '../vendor/preact-htm.js';
import { language } from '../shared/texts.js';

/** @type {Intl.DateTimeFormatOptions} */
const ofDay = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
/** @type {Intl.DateTimeFormatOptions} */
const ofYear = { month: 'short', day: 'numeric', ...ofDay };

const formatted = (options, text) => new Intl.DateTimeFormat(language, options).format(new Date(text));

// moment shows a time with its day and its zone.
export const moment = (text) => (text ? formatted({ year: 'numeric', ...ofYear, timeZoneName: 'short' }, text) : '–');

// clock shows the time of day of a time, with its zone.
export const clock = (text) => formatted({ ...ofDay, timeZoneName: 'short' }, text);

/** @type {Intl.DateTimeFormatOptions} */
const toMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
/** @type {Intl.DateTimeFormatOptions} */
const withDay = { weekday: 'short', month: 'short', day: 'numeric' };

// near shows a time to the minute, with its day if that is not today.
export function near(text) {
  const today = new Date(text).toDateString() === new Date().toDateString();
  return formatted(today ? toMinute : { ...withDay, ...toMinute }, text);
}

// span shows from when to when something is, to the minute.
export const span = (from, to) =>
  new Intl.DateTimeFormat(language, { ...withDay, ...toMinute }).formatRange(new Date(from), new Date(to));

// zoned adds the reader's zone to the heading of a column of times.
export function zoned(heading) {
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: 'short' }).formatToParts(new Date());
  return `${heading} (${parts.find(({ type }) => type === 'timeZoneName').value})`;
}

// Time is a time in a column of times: short, without the zone, which its heading has, and without this year.
export function Time({ at }) {
  if (!at) return '–';
  const date = new Date(at);
  const short = date.getFullYear() === new Date().getFullYear() ? ofYear : { year: 'numeric', ...ofYear };
  return html`<time datetime=${date.toISOString()} title=${moment(at)}>${formatted(short, at)}</time>`;
}
