// What an operator typed into the form of a sale and has not saved: this browser keeps it, and warns before it is left.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { leaving } from '../shared/leave.js';
import { joined } from '../shared/ids.js';
import { Dialog } from '../shared/parts.js';
import { ownName } from '../shared/settings.js';

const keyOf = (id) => ownName(`onrush.sale.${id ?? joined('', 'new')}`); // no sale has that id

// kept returns what was kept of the sale, or of a new one: {form, base, id, at}.
export function kept(id) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(id))) ?? undefined;
  } catch {
    return undefined;
  }
}

// keep reports whether the browser has kept it: it may have no room.
export function keep(id, draft) {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export const forget = (id) => localStorage.removeItem(keyOf(id));

// useLeaving asks before the view is left while unsaved: by a link, by the search, by the browser's Back, or by closing
// the page. It returns where the reader is about to go, or '', and what stays here or goes there.
export function useLeaving(unsaved) {
  const [target, setTarget] = useState('');
  const going = useRef(false);
  useEffect(() => {
    if (!unsaved) return undefined;
    const unload = (e) => e.preventDefault();
    const follow = (e) => {
      const link = e.target.closest?.('a[href^="#/"]');
      if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      setTarget(link.hash);
    };
    const leave = (e) => {
      if (going.current) return;
      e.preventDefault();
      setTarget(e.detail);
    };
    addEventListener('beforeunload', unload);
    document.addEventListener('click', follow, true);
    addEventListener(leaving, leave);
    return () => {
      removeEventListener('beforeunload', unload);
      document.removeEventListener('click', follow, true);
      removeEventListener(leaving, leave);
    };
  }, [unsaved]);
  const go = (hash) => {
    going.current = true;
    location.hash = hash;
  };
  return { target, stay: () => setTarget(''), go };
}

// Leaving asks whether the view is left.
export function Leaving({ target, stay, go, discard }) {
  if (!target) return null;
  return html`<${Dialog} title=${t('leave_title')} close=${stay}>
    <p class="muted">${t('leave_help')}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${stay}>${t('leave_stay')}</button>
      <button type="button" class="quiet" id="leave" onClick=${() => go(target)}>${t('leave_keep')}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${() => {
        discard();
        go(target);
      }}>${t('leave_discard')}</button></div><//>`;
}
