// A menu of what is done seldom. It closes on Escape, and when the reader goes on elsewhere; its dialogs are in it.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

export function Menu({ children }) {
  /** @type {{current?: HTMLDetailsElement}} */
  const menu = useRef();
  useEffect(() => {
    const leave = (e) => {
      const { current } = menu;
      if (!current.contains(e.target) && !current.querySelector('dialog')) current.open = false;
    };
    addEventListener('pointerdown', leave);
    addEventListener('focusin', leave);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('focusin', leave);
    };
  }, []);
  const press = (e) => {
    if (e.key !== 'Escape' || menu.current.querySelector('dialog')) return;
    menu.current.open = false;
    menu.current.querySelector('summary').focus();
  };
  return html`<details class="menu" ref=${menu} onKeyDown=${press}>
    <summary class="button quiet">${t('more_actions')}</summary><div>${children}</div></details>`;
}
