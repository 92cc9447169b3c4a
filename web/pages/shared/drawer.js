// The drawer: what the page asks the server.
import { html } from '../vendor/preact-htm.js';
import { ownPath } from './settings.js';
import { t } from './texts.js';
import { clearExchanges } from './server.js';

// Drawer shows the requests of the page with their answers: it teaches the interface.
export function Drawer({ exchanges, close }) {
  return html`<aside class="drawer" aria-label=${t('requests')}>
    <div class="row"><h2>${t('requests')}</h2>
      <button class="quiet" onClick=${clearExchanges}>${t('clear')}</button>
      <button class="quiet" onClick=${close}>${t('close')}</button></div>
    <p class="muted">${t('requests_help')} <a href=${ownPath('/docs')}>API</a></p>
    ${exchanges.length === 0 && html`<p class="muted">${t('requests_none')}</p>`}
    ${exchanges.map((exchange) => html`<${Exchange} exchange=${exchange} />`)}
  </aside>`;
}

function Exchange({ exchange: { method, path, key, body, status, answer, ms } }) {
  const shortened = path.split('?')[0].replace(/([\w-]{24})[\w.-]+/g, '$1…');
  return html`<details class="exchange">
    <summary><b>${method}</b> <code>${shortened}</code>
      <span class=${status < 300 ? 'good' : 'bad'}>${status ?? '…'}</span>
      <span class="muted">${ms}\u00a0ms</span></summary>
    <pre>${method} ${path}${key ? `\nIdempotency-Key: ${key}` : ''}${body ? `\n\n${pretty(body)}` : ''}</pre>
    <pre>${pretty(answer ?? '')}</pre></details>`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
