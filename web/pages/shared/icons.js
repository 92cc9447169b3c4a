// The icons of both pages: lines on a grid of 24, in the colour of the text beside them.
import { html } from '../vendor/preact-htm.js';

export const paths = {
  sales: 'M13 2 4.5 13.5H11L10 22l9-12h-6.5z',
  goods: 'M3 11V4.5A1.5 1.5 0 0 1 4.5 3H11l9.5 9.5-8 8zM7.5 7.5h.01',
  basket: 'M3 4h2.5l2 11h10l2.5-8H6.2M9 20h.01M17 20h.01',
  orders: 'M6 2.5h12V21l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  addresses: 'M12 21.5S5 15.5 5 10a7 7 0 0 1 14 0c0 5.5-7 11.5-7 11.5zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  today: 'M3 12h4l2.5-7 5 14 2.5-7h4',
  money: 'M3 6h18v12H3zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6.5 12h.01M17.5 12h.01',
  points: 'M3 21V9l9-6 9 6v12M7.5 21v-8h9v8M7.5 17h9',
  queue: 'M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  jobs: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5V12l3 2',
  endpoints: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4',
  blocked: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.7 5.7l12.6 12.6',
  changes: 'M4 5v4.5h4.5M4.6 9.5A8 8 0 1 1 4 13M12 8v4.5l3 1.5',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  keys: 'M15 9a1.5 1.5 0 1 0 0-.01M8.5 15.5 3 21v-3.5l6-6a6 6 0 1 1 3.5 3.5L11 16.5H8.5z',
  start: 'M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 21a7.5 7.5 0 0 1 15 0',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4',
  silent: 'M8 6.6A6 6 0 0 1 18 11v5M17 18.5H4.5L6 17v-6c0-.7.1-1.4.3-2M10 21h4M3.5 3.5l17 17',
  lock: 'M6 11h12v9.5H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  alert: 'M12 4.5v10M12 19.5h.01',
  check: 'M5 12.5 10 17.5 19.5 7',
  on: 'M9 5.5l6.5 6.5L9 18.5',
  code: 'M8.5 7 3.5 12l5 5M15.5 7l5 5-5 5',
};

// Icon draws an icon that says nothing that the text beside it doesn't say.
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
