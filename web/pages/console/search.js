// The button that opens the search over everything, and its key.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Icon } from '../shared/icons.js';

const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Search() {
  const [SearchDialog, load] = useState();
  const [open, setOpen] = useState(false);
  const show = async () => {
    const found = await import('./views.js').catch(() => undefined);
    if (!found) return; // the server is away: the page says so
    load(() => found.SearchDialog);
    setOpen(true);
  };
  useEffect(() => {
    const press = (e) => {
      if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey) return;
      e.preventDefault();
      if (!document.querySelector('dialog[open]')) show();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return html`<div class="search" role="search">
    <button type="button" class="quiet" id="find" title=${t('search')} aria-keyshortcuts="Control+K Meta+K"
      onClick=${show}><${Icon} name="search" /><span>${t('search_short')}</span>
      <kbd aria-hidden="true">${mac ? '⌘ K' : 'Ctrl K'}</kbd></button>
    ${open && html`<${SearchDialog} close=${() => setOpen(false)} />`}</div>`;
}
