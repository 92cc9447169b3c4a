// The way to the issuer at which operators sign in, and what became of the last try.
import { html } from '../vendor/preact-htm.js';
import { loginPath } from '../shared/server.js';
import { settings } from '../shared/settings.js';
import { t } from '../shared/texts.js';

const outcomes = ['expired', 'refused', 'failed', 'unavailable'];

export function Login() {
  const said = new URLSearchParams(location.search).get('login');
  return html`${outcomes.includes(said) && html`<p class="problem" role="alert">${t(`login_${said}`)}</p>`}
    <p><a class="button go" id="issuer-login" href=${loginPath()}>${t('sign_in_at', { host: settings.sign_in })}</a></p>
    <p class="muted">${t('or_key')}</p>`;
}
