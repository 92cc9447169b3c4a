// The frame of the shop: navigation, the buyer, the drawer, and the view of the address.
import { html, useEffect, useState } from './preact-htm.js';
import { choose, language, languages, t } from './texts.js';
import { clearExchanges, signedIn, signIn, signInAs, useServer } from './server.js';
import { settings } from './settings.js';
import { Sales } from './sales.js';
import { Sale } from './sale.js';
import { Order } from './order.js';
import { Orders } from './orders.js';
import { Addresses } from './addresses.js';
import { Basket, Goods } from './goods.js';

const views = {
  '': Sales, sale: Sale, order: Order, orders: Orders, addresses: Addresses, goods: Goods, basket: Basket,
};
const menu = [['', 'sales'], ['goods', 'goods'], ['basket', 'basket'], ['orders', 'orders'], ['addresses', 'addresses']];
const open = new Set(['', 'sale', 'goods']); // these need no sign-in

function useAddress() {
  const [at, go] = useState(location.hash);
  useEffect(() => {
    const moved = () => { go(location.hash); document.getElementById('content')?.focus({ preventScroll: true }); };
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const [view = '', id = ''] = at.replace(/^#\/?/, '').split('?')[0].split('/').map(decodeURIComponent);
  return { view: view in views ? view : '', id };
}

export function App() {
  const { view, id } = useAddress();
  const server = useServer();
  const [drawer, setDrawer] = useState(false);
  const View = server.refused || (!open.has(view) && !signedIn()) ? SignIn : views[view];
  return html`
    <a class="skip" href="#content" onClick=${(e) => { e.preventDefault(); document.getElementById('content').focus(); }}>
      ${t('skip')}</a>
    <header class="top">
      <a class="brand" href="#/"><span class="mark" aria-hidden="true"></span>Onrush</a>
      <nav aria-label=${t('shop')}>${menu.map(([at, name]) => html`
        <a href="#/${at}" aria-current=${view === at ? 'page' : undefined}>${t(name)}</a>`)}</nav>
      <${Who} server=${server} />
      <label class="language"><span class="hidden">${t('language')}</span>
        <select onChange=${(e) => choose(e.target.value)}>${Object.entries(languages).map(([code, name]) => html`
          <option value=${code} selected=${code === language}>${name}</option>`)}</select></label>
      <button class="quiet" aria-expanded=${drawer} aria-label=${t('requests')}
        title=${t('requests')} onClick=${() => setDrawer(!drawer)}>{ }</button>
    </header>
    ${!server.online && html`<p class="offline" role="alert">${t('offline')}</p>`}
    <main id="content" tabindex="-1"><${View} key=${`${view}/${id}`} id=${id} /></main>
    ${drawer && html`<${Drawer} exchanges=${server.exchanges} close=${() => setDrawer(false)} />`}`;
}

// Who shows the buyer. On a program for development one chooses a demo buyer.
function Who({ server }) {
  const buyers = ['alice', 'bob', 'carol', 'dave'];
  if (window.onrushToken) return null;
  if (!settings.dev_tokens) {
    if (!server.token) return null;
    return html`<button class="quiet" onClick=${() => signIn('')}>${t('sign_out')}</button>`;
  }
  const all = server.user && !buyers.includes(server.user) ? [server.user, ...buyers] : buyers;
  const change = (e) => signInAs(e.target.value).then(() => location.reload());
  return html`<label class="who"><span class="hidden">${t('demo_buyer')}</span>
    <select id="buyer" value=${server.user} onChange=${change}>
      ${!server.user && html`<option value="">${t('demo_buyer')}</option>`}
      ${all.map((name) => html`<option value=${name} selected=${name === server.user}>${name}</option>`)}
    </select></label>`;
}

function SignIn() {
  const submit = (e) => {
    e.preventDefault();
    signIn(new FormData(e.target).get('token').trim());
  };
  return html`<section class="card narrow"><h1>${t('token_title')}</h1><p class="muted">${t('token_help')}</p>
    <form onSubmit=${submit}><label>${t('token')}
      <textarea name="token" rows="4" required autocomplete="off" spellcheck="false"></textarea></label>
      <button class="go">${t('sign_in')}</button></form></section>`;
}

// Drawer shows the requests of the page with their answers: it teaches the interface.
function Drawer({ exchanges, close }) {
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
