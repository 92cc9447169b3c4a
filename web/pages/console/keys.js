// The keys of programs and tills: made, shown once, revoked.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, now } from '../shared/server.js';
import { idInput } from '../shared/ids.js';
import { Time, zoned } from './moment.js';
import { Action, Badge, List, usePages } from './parts.js';
import { Secret } from './secret.js';

const scopes = ['till', 'support', 'catalogue', 'read', 'events', 'payments', 'admin'];

// stateOf says whether a key is valid.
function stateOf(key) {
  if (key.revoked_at) return 'revoked';
  return key.expires_at && Date.parse(key.expires_at) <= now() ? 'expired' : 'valid';
}

const By = ({ by }) => html`<p class="muted">${t('by_whom', { by })}</p>`;

// endOf says when a key ended, or will, and who revoked it.
function endOf({ revoked_at: revoked, revoked_by: by, expires_at: expires }) {
  if (revoked) return html`<${Time} at=${revoked} /><${By} by=${by} />`;
  return expires ? html`<${Time} at=${expires} />` : t('no_end');
}

export function Keys() {
  const list = usePages('/keys');
  const [made, setMade] = useState();
  const fields = [
    { name: 'name', label: t('name'), help: t('key_name_help'), required: true, maxlength: 60 },
    { name: 'scope', label: t('scope'), options: scopes.map((scope) => [scope, t(`scope_${scope}`)]), initial: 'till' },
    { name: 'shop', of: 'shop_id', label: t('shop'), help: t('key_shop_help'), ...idInput },
    { name: 'until', of: 'expires_at', label: t('key_until'), help: t('key_until_help'), type: 'datetime-local' },
  ];
  const make = ({ name, scope, shop, until }, key) =>
    call('POST', '/keys', {
      key,
      body: {
        name,
        scope,
        ...(shop && { shop_id: shop }),
        ...(until && { expires_at: new Date(until).toISOString() }),
      },
    });
  const show = (key) => {
    setMade(key);
    list.reload();
  };
  const columns = [
    [t('name'), (k) => html`<b>${k.name}</b>`, 'lead'],
    [t('scope'), (k) => html`<span title=${t(`scope_${k.scope}_help`)}>${t(`scope_${k.scope}`)}</span>`],
    [t('shop'), (k) => k.shop_id ?? t('all_shops'), 'named'],
    [t('state'), (k) => html`<${Badge} state=${stateOf(k)} />`, 'end'],
    [zoned(t('last_used')), (k) => (k.last_used_at ? html`<${Time} at=${k.last_used_at} />` : t('never')), 'named'],
    [zoned(t('made')), (k) => html`<${Time} at=${k.created_at} /><${By} by=${k.created_by} />`, 'named'],
    [zoned(t('ends')), endOf, 'named'],
    [
      '',
      (k) =>
        stateOf(k) === 'valid' &&
        html`<${Action} label=${t('revoke')} title=${t('revoke_title', { name: k.name })} help=${t('revoke_help')}
        kind="danger" id="revoke-${k.key_id}" run=${() => call('DELETE', `/keys/${k.key_id}`)} then=${list.reload}
        done=${t('done_revoked', { name: k.name })} />`,
      'tools',
    ],
  ];
  return html`<div class="row heading"><h1>${t('menu_keys')}</h1>
      <${Action} label=${t('new_key')} kind="go" id="new-key" title=${t('new_key')}
        button=${t('make_key')} fields=${fields} run=${make}
        then=${show} done=${null} preview=${({ scope = 'till' }) => t(`scope_${scope}_help`)} /></div>
    <p class="muted">${t('keys_help')}</p>
    <${List} list=${list} name=${t('menu_keys')} columns=${columns} empty=${t('keys_none')}
      keyOf=${(k) => k.key_id} />
    ${
      made &&
      html`<${Secret} title=${t('key_made', { name: made.name })} help=${t('key_made_help')} secret=${made.secret}
        close=${() => setMade()} />`
    }`;
}
