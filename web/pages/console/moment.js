// Times as the console shows them: to the second, in the reader's zone, which they name.
import { language } from '../shared/texts.js';

/** @type {Intl.DateTimeFormatOptions} */
const ofDay = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' };

// moment shows a time with its day.
export function moment(text) {
  if (!text) return '–';
  /** @type {Intl.DateTimeFormatOptions} */
  const format = { year: 'numeric', month: 'numeric', day: 'numeric', ...ofDay };
  return new Intl.DateTimeFormat(language, format).format(new Date(text));
}

// clock shows the time of day of a time.
export const clock = (text) => new Intl.DateTimeFormat(language, ofDay).format(new Date(text));
