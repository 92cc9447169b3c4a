// The first view of a reader who may not see today's: what the scope allows, and look-ups for a till.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { valuesOf } from '../shared/parts.js';
import { scopesOf } from './me.js';
import { Field } from './parts.js';

// LookUp goes to what a code or a number names.
function LookUp({ label, view, id }) {
  const submit = (e) => {
    e.preventDefault();
    location.hash = `#/${view}/${encodeURIComponent(valuesOf(e.target)[id])}`;
  };
  return html`<form class="row" onSubmit=${submit}>
    <${Field} name=${id} label=${label} required maxlength="64" autocomplete="off" spellcheck=${false} />
    <button class=${view === 'voucher' ? 'go' : ''}>${t('show')}</button></form>`;
}

export function Home({ me, links }) {
  return html`<div class="row heading"><h1>${t('home_title', { name: me.name.replace('key:', '') })}</h1></div>
    <p>${me.shop_id ? t('own_shop_help') : t(`scope_${me.scope}_help`)}</p>
    ${
      me.scope === 'till' &&
      html`<section class="card">
      <${LookUp} label=${t('voucher_code')} view="voucher" id="code" />
      <${LookUp} label=${t('order_number')} view="order" id="number" /></section>`
    }
    ${
      links.length > 0 &&
      html`<ul>${links.map(([at, name]) => html`<li><a href="#/${at}">${t(`menu_${name}`)}</a></li>`)}</ul>`
    }`;
}

// NotAllowed says why a view is not shown.
export function NotAllowed({ route }) {
  const scopes = (scopesOf(route) ?? []).map((scope) => t(`scope_${scope}`));
  if (!scopes.length) return html`<p class="problem" role="alert">${t('not_of_a_shop')}</p>`;
  return html`<div class="problem" role="alert"><p>${t('not_in_scope')}</p>
    <p class="muted">${t('scopes_needed', { scopes: scopes.join(', ') })}</p></div>`;
}
