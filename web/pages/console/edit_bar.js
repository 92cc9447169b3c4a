// The bar below the form of a sale, which stays in view: what is wrong, what may be done, and whether it is saved.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Publish } from './checks.js';
import { Menu } from './menu.js';
import { useNarrow } from './narrow.js';

// useHeight keeps the height of an element in --bar, so that what takes the focus is not behind it.
function useHeight(bar) {
  const { style } = document.documentElement;
  const measure = () => style.setProperty('--bar', `${bar.current.offsetHeight}px`);
  useEffect(measure);
  useEffect(() => {
    const resized = new ResizeObserver(measure);
    resized.observe(bar.current);
    return () => {
      resized.disconnect();
      style.removeProperty('--bar');
    };
  }, []);
}

// Bar has the buttons of the form. The buttons of a draft also check it, once its fields are valid; once no check
// fails, the primary one publishes. others are buttons that a phone has no room for. children say what is wrong.
/** @param {any} props */
export function Bar({ draft, busy, check, checks, publish, others, saved, children }) {
  const bar = useRef();
  const narrow = useNarrow();
  useHeight(bar);
  const ready = checks && !checks.some(({ level }) => level === 'failure');
  const save = html`<button class=${draft ? 'quiet' : 'go'} id="save" disabled=${busy}>
    ${t(draft && !narrow && !ready ? 'save_draft' : 'save')}</button>`;
  const checkIt =
    draft &&
    html`<button type="button" class=${ready ? 'quiet' : 'go'} id="check" disabled=${busy}
      onClick=${(e) => e.target.form.reportValidity() && check()}>
      ${t(checks ? 'check_again' : 'check_and_publish')}</button>`;
  const main = ready && html`<${Publish} checks=${checks} ...${publish} />`;
  const folded = narrow && ready;
  return html`<div class="bar-row row" ref=${bar}>${children}${!folded && html`${save}${checkIt}`}${main}
    ${narrow ? html`<${Menu}>${folded && html`${save}${checkIt}`}${others}<//>` : others}${saved}</div>`;
}
