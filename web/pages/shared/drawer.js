// The drawer: what the page asks the server.
import { html } from './preact-htm.js';
import { t } from './texts.js';
import { clearExchanges } from './server.js';

// Drawer shows the requests of the page with their answers: it teaches the interface.
export function Drawer({ exchanges, close }) {
  return html`<aside class="drawer" aria-label=${t('requests')}>
    <div class="row"><h2>${t('requests')}</h2>
      <button class="quiet" onClick=${clearExchanges}>${t('clear')}</button>
      <button class="quiet" onClick=${close}>${t('close')}</button></div>
    <p class="muted">${t('requests_help')} <a href="/docs">API</a></p>
    ${exchanges.length === 0 && html`<p class="muted">${t('requests_none')}</p>`}
    ${exchanges.map((x) => html`<details class="exchange">
      <summary><b>${x.method}</b> <code>${x.path.split('?')[0].replace(/([\w-]{24})[\w.-]+/g, '$1…')}</code>
        <span class=${x.status < 300 ? 'good' : 'bad'}>${x.status ?? '…'}</span> <span class="muted">${x.ms} ms</span></summary>
      <pre>${x.method} ${x.path}${x.key ? `\nIdempotency-Key: ${x.key}` : ''}${x.body ? `\n\n${pretty(x.body)}` : ''}</pre>
      <pre>${pretty(x.answer ?? '')}</pre></details>`)}
  </aside>`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
