// What only a program for development has: the choice of a demo buyer, a crowd for the sale that is shown, the requests
// of the page, and the way to the console. Shops don't show it, so that it stands in one place.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { buyers as crowd, offered } from '../shared/crowd_offer.js';
import { number, t } from '../shared/texts.js';
import { signInAs } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { Select } from '../shared/parts.js';

const buyers = ['alice', 'bob', 'carol', 'dave'];

// useClosing closes an open menu when the reader presses Escape, or clicks elsewhere.
function useClosing() {
  const menu = useRef();
  useEffect(() => {
    const close = (e) => {
      const leaves = e.type === 'keydown' ? e.key === 'Escape' : !menu.current.contains(e.target);
      if (!menu.current.open || !leaves) return;
      menu.current.open = false;
      if (e.type === 'keydown') menu.current.querySelector('summary').focus();
    };
    for (const type of ['keydown', 'click']) addEventListener(type, close);
    return () => {
      for (const type of ['keydown', 'click']) removeEventListener(type, close);
    };
  }, []);
  return menu;
}

/** @param {{ user: string, requests: () => void }} props requests shows or hides the requests of the page */
export function DemoMenu({ user, requests }) {
  const menu = useClosing();
  const [, draw] = useState(0);
  const all = user && !buyers.includes(user) ? [user, ...buyers] : buyers;
  const change = (e) => signInAs(e.target.value).then(() => location.reload());
  const then = (act) => () => {
    menu.current.open = false;
    act();
  };
  return html`<details class="demo" ref=${menu} onToggle=${() => draw((n) => n + 1)}><summary>${t('demo')}</summary>
    <div class="card"><p class="muted">${t('crowd_demo')}</p>
      <label>${t('demo_buyer')}<${Select} id="buyer" value=${user} onChange=${change}
        options=${[...(user ? [] : [['', t('demo_buyer')]]), ...all.map((name) => [name, name])]} /></label>
      ${
        offered() &&
        html`<button type="button" id="send-crowd" title=${t('crowd_help')} onClick=${then(offered())}>
        ${t('crowd_send', { count: number(crowd) })}</button>`
      }
      <button type="button" id="requests" onClick=${then(requests)}>${t('requests')}</button>
      <a class="button" href=${ownPath('/docs')}>API</a>
      <a class="button" href=${ownPath('/admin')}>${t('console')}</a></div></details>`;
}
