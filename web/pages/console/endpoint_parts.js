// What the first view and the list of endpoints share.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Action } from './parts.js';

export const path = (id) => `/endpoints/${encodeURIComponent(id)}`;

// SwitchOn lets an endpoint go on where it stopped.
export function SwitchOn({ endpoint, then }) {
  const { url, types, version } = endpoint;
  return html`<${Action} label=${t('switch_on')} id="enable-${endpoint.endpoint_id}"
    run=${() => call('PUT', path(endpoint.endpoint_id), { version, body: { url, types, enabled: true } })}
    then=${then} />`;
}

// reasons are why the server switched an endpoint off.
const reasons = {
  'no delivery succeeded for three days': 'silent',
  'it answered 410: it wants no more events': 'gone',
};

// offText says why the server switched an endpoint off.
export const offText = (reason) => (reason in reasons ? t(`off_${reasons[reason]}`) : reason);
