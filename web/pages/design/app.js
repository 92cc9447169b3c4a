// The sections of the design page.
import { html } from '../vendor/preact-htm.js';
import { ownPath } from '../shared/settings.js';
import { choose, language, languages, t } from '../shared/texts.js';
import { Select } from '../shared/parts.js';
import { Colours, Icons, Numbers, Sizes, Type } from './foundations.js';
import { Buttons, Dialogs, Fields } from './controls.js';
import { Alarms, Menus, Readinesses, Secrets, Toasts } from './console.js';
import { Addresses, Buying, Cards } from './shop.js';
import { Amounts, Badges, Empties, Lists, Pictures, Problems } from './states.js';

const sections = {
  colours: Colours,
  type: Type,
  sizes: Sizes,
  icons: Icons,
  numbers: Numbers,
  buttons: Buttons,
  fields: Fields,
  dialogs: Dialogs,
  badges: Badges,
  cards: Cards,
  amounts: Amounts,
  pictures: Pictures,
  lists: Lists,
  empties: Empties,
  problems: Problems,
  buying: Buying,
  addresses: Addresses,
  readiness: Readinesses,
  alarm: Alarms,
  toast: Toasts,
  menu: Menus,
  secret: Secrets,
};

export function App() {
  return html`<a class="skip" href="#content">${t('skip')}</a>
    <header class="top"><a class="brand" href=${ownPath('/')}><span class="mark" aria-hidden="true"></span>Onrush</a>
      <nav aria-label=${t('design')}><a href=${ownPath('/')}>${t('design_shop')}</a>
        <a href=${ownPath('/admin')}>${t('design_console')}</a></nav>
      <label class="language"><span class="hidden">${t('language')}</span>
        <${Select} value=${language} options=${Object.entries(languages)}
          onChange=${(e) => choose(e.target.value)} /></label></header>
    <main id="content" tabindex="-1"><h1>${t('design')}</h1><p class="muted">${t('design_help')}</p>
      ${Object.entries(sections).map(
        ([name, Section]) => html`<section class="part" id=${name} aria-labelledby="${name}-title">
          <h2 id="${name}-title">${t(`design_${name}`)}</h2>
          <p class="muted">${t(`design_${name}_help`)}</p><${Section} /></section>`,
      )}</main>`;
}
