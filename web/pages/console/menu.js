// A menu of what is done seldom. It closes on Escape, when something of it was chosen, and when the reader goes on
// elsewhere. Its dialogs are in it, so that it is closed once they are. In a table, which would cut it, it is fixed to
// the window.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

const gap = 4; // px between the button and the menu

// place puts an open menu of a table below its button, or above it where there is no room below.
function place(menu) {
  const [button, panel] = menu.children;
  if (!menu.open || !menu.closest('td')) return;
  const { top, bottom, right } = button.getBoundingClientRect();
  const below = bottom + gap + panel.offsetHeight <= innerHeight;
  panel.style.top = `${below ? bottom + gap : Math.max(0, top - gap - panel.offsetHeight)}px`;
  panel.style.right = `${document.documentElement.clientWidth - right}px`;
}

export function Menu({ children }) {
  /** @type {{current?: HTMLDetailsElement}} */
  const menu = useRef();
  const asks = () => Boolean(menu.current?.querySelector('dialog'));
  const close = () => menu.current?.removeAttribute('open');
  useEffect(() => {
    const leave = (e) => {
      if (!menu.current.contains(e.target) && !asks()) close();
    };
    const scroll = () => menu.current.closest('td') && !asks() && close();
    let asked = false;
    const answered = new MutationObserver(() => {
      if (asked && !asks()) {
        close();
        menu.current?.querySelector('summary').focus();
      }
      asked = asks();
    });
    answered.observe(menu.current, { childList: true, subtree: true });
    addEventListener('pointerdown', leave);
    addEventListener('focusin', leave);
    addEventListener('scroll', scroll, true);
    return () => {
      answered.disconnect();
      removeEventListener('pointerdown', leave);
      removeEventListener('focusin', leave);
      removeEventListener('scroll', scroll, true);
    };
  }, []);
  const press = (e) => {
    if (e.key !== 'Escape' || asks()) return;
    close();
    menu.current.querySelector('summary').focus();
  };
  const chosen = (e) => {
    if (e.target.closest('dialog') || !e.target.closest('a, button')) return;
    requestAnimationFrame(() => !asks() && close()); // what asks has drawn its dialog by then
  };
  return html`<details class="menu" ref=${menu} onKeyDown=${press} onToggle=${() => place(menu.current)}>
    <summary class="button quiet">${t('more_actions')}</summary><div onClick=${chosen}>${children}</div></details>`;
}
