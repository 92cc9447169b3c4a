// Parts of all views.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { role, settings } from './settings.js';
import { signIn } from './server.js';
import { problemText, t } from './texts.js';

export function Loading() {
  return html`<p class="muted" role="status">${t('loading')} …</p>`;
}

const waits = new Set(['sold_out', 'sold_out_unpaid_pending', 'no_permit', 'other_tab']); // nothing is wrong

// Problem says what went wrong. Operators see the server's own words as well. Where something does
// not exist, it leads on to the first page.
export function Problem({ error, retry }) {
  if (!error) return null;
  const text = problemText(error);
  const { detail, errors = [] } = (role === 'admin' && error.problem) || {};
  return html`<div class="problem ${waits.has(error.code) ? 'waits' : ''}" role="alert"><p>${text}</p>
    ${detail && detail !== text && html`<p class="muted">${detail}</p>`}
    ${errors.map((e) => html`<p class="muted"><code>${e.field}</code> ${e.detail}</p>`)}
    ${
      error.code === 'forbidden' &&
      !window.onrushToken &&
      (role === 'admin' || !settings.host_login) &&
      html`
      <button class="go" onClick=${() => signIn('')}>${t('sign_in_again')}</button>`
    }
    ${
      retry &&
      html`<p class="row"><button class="quiet" onClick=${retry}>${t('retry')}</button>
      ${error.code === 'not_found' && html`<a class="button" href="#/">${t('first_page')}</a>`}</p>`
    }</div>`;
}

// letterOf returns the first letter or digit of a title, or its first character where it has none.
const letterOf = (title) => title.match(/[\p{L}\p{N}]/u)?.[0] ?? [...title][0];

// Picture shows an image, or a letter of the title where there is none or it can't be loaded. Without alt, a text
// beside it says the same.
export function Picture({ url, title, alt = '' }) {
  const [failed, fail] = useState(); // the address of the image that can't be loaded
  if (url && url !== failed) {
    return html`<img class="picture" src=${url} alt=${alt} loading="lazy" onError=${() => fail(url)} />`;
  }
  const spoken = alt ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': 'true' };
  return html`<div class="picture letter" ...${spoken}>${letterOf(title)}</div>`;
}

export const addressLine = (address) => `${address.receiver}, ${address.detail}, ${address.region}`;

// valuesOf returns what a form has by name, trimmed but for empty lines before.
export function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].map(([k, v]) => [k, String(v).replace(/^ +|\s+$/g, '')]));
}

// StockBar shows how much of a stock is left: in words alone as long as hardly any is sold, and before the start how
// much there is.
export function StockBar({ left, total, sold, before = false }) {
  if (before) return html`<p class="stock">${t(total === 1 ? 'units_whole_one' : 'units_whole', { total })}</p>`;
  if (left === undefined && !sold) return html`<p class="stock muted">${t('units_unknown')}</p>`;
  const units = sold ? 0 : left;
  const part = units / total;
  const level = part < 0.1 ? 'low' : part < 0.5 ? 'half' : '';
  const text = units > 0 ? t(part < 0.2 ? 'units_few' : 'units_left', { left: units, total }) : t('sold_out');
  return html`<div class="stock">
    ${units > 0 && part <= 0.9 && html`<${Bar} value=${units} of=${total} level=${level} />`}
    <span class=${units > 0 && level === 'low' ? 'bad' : ''}>${text}</span></div>`;
}

// Bar shows a part of a whole, in the colour of its level: half or low. The text beside it says the same.
export function Bar({ value, of, level = '' }) {
  const width = `${(100 * value) / Math.max(of, value, 1)}%`;
  return html`<div class="bar ${level}" aria-hidden="true"><span style=${{ width }}></span></div>`;
}

// Select is a choice among options, each [code, text]. It shows its value, or where it has none what was chosen last,
// at first the initial one. The value is set after the options at each drawing, so that it is right where options came,
// went or changed places; marks at the options would stay at their places.
export function Select({ value, initial, options, onChange, ...rest }) {
  const [chosen, choose] = useState(initial ?? options[0]?.[0]);
  const change = (e) => {
    choose(e.target.value);
    onChange?.(e);
  };
  return html`<select ...${rest} value=${value ?? chosen} onChange=${change}>${options.map(
    ([code, text]) => html`
    <option key=${code} value=${code}>${text}</option>`,
  )}</select>`;
}

let dialogs = 0; // that were drawn: their titles have ids

/**
 * Dialog is open while it is drawn. The focus is in it, and afterwards where it was before. A press beside it closes
 * it, unless it stays or has a form, whose input would be lost.
 *
 * @param {{ title: any, close: () => void, stays?: boolean, children?: any }} props
 */
export function Dialog({ title, close, stays = false, children }) {
  const dialog = useRef();
  const name = useRef();
  name.current ??= `dialog-title-${++dialogs}`;
  useEffect(() => {
    const open = dialog.current;
    if (!stays && !open.querySelector('form')) open.setAttribute('closedby', 'any');
    return () => open.close();
  }, []);
  useEffect(() => {
    const open = dialog.current;
    if (open.matches(':modal')) return;
    open.close(); // what was drawn before it moved it in the page, and it stays open there, but not above the page
    open.showModal();
  });
  return html`<dialog ref=${dialog} aria-labelledby=${name.current} onCancel=${(e) => {
    e.preventDefault();
    close();
  }}>
    <h2 id=${name.current}>${title}</h2>${children}
    <button type="button" class="close" aria-label=${t('close')} title=${t('close')}
      onClick=${close}>×</button></dialog>`;
}
