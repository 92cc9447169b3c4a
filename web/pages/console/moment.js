// Times as the console shows them: to the second, in the reader's zone, and with 24 hours.
import { html } from '../vendor/preact-htm.js';
import { language, timeText, whole, zoneOf } from '../shared/texts.js';

/** @type {Intl.DateTimeFormatOptions} */
const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
/** @type {Intl.DateTimeFormatOptions} */
const day = { month: 'short', day: 'numeric' };
/** @type {Intl.DateTimeFormatOptions} */
const dayAndYear = { year: 'numeric', ...day };

// moment shows a time with its day and its zone.
export const moment = (text) => (text ? timeText(new Date(text), { date: dayAndYear, time }) : '–');

// clock shows the time of day of a time, with its zone.
export const clock = (text) => timeText(new Date(text), { time });

/** @type {Intl.DateTimeFormatOptions} */
const toMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
/** @type {Intl.DateTimeFormatOptions} */
const withDay = { weekday: 'short', month: 'short', day: 'numeric' };

// near shows a time to the minute, with its day if that is not today.
export function near(text) {
  const today = new Date(text).toDateString() === new Date().toDateString();
  return timeText(new Date(text), { date: today ? undefined : withDay, time: toMinute, zone: false });
}

// span shows from when to when something is, to the minute. A line may end between the two times only.
export function span(from, to) {
  const text = new Intl.DateTimeFormat(language, { ...withDay, ...toMinute }).formatRange(new Date(from), new Date(to));
  const parts = text.replace(/日(?=周)/g, '日 ').split(/(?<=[–至])/);
  const between = /[–至]\s/.test(text) ? ' ' : '\u200b';
  return parts.map((part) => whole(part.trim().replace(/\s/g, ' '))).join(between);
}

// zoned adds the reader's zone to the heading of a column of times.
export const zoned = (heading) => `${heading} (${zoneOf(new Date())})`;

// Time is a time in a column of times: short, without the zone, which its heading has, and without this year.
export function Time({ at }) {
  if (!at) return '–';
  const date = new Date(at);
  const thisYear = date.getFullYear() === new Date().getFullYear();
  const short = timeText(date, { date: thisYear ? day : dayAndYear, time, zone: false });
  return html`<time datetime=${date.toISOString()} title=${moment(at)}>${short}</time>`;
}
