// The frame of a page: navigation, who is signed in, the drawer, and the view at the address.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { choose, language, languages, t } from './texts.js';
import { isKey, signedIn, signIn, signInWithKey, useServer } from './server.js';
import { Drawer } from './drawer.js';
import { ownPath, role, settings } from './settings.js';
import { mayLeave } from './leave.js';
import { Icon } from './icons.js';
import { Dialog, Problem, Select, valuesOf } from './parts.js';
import { entitle } from './title.js';

// useAddress returns the view and the id of an address such as #/sale/42, and what follows its question mark. turn
// counts the addresses: a view may replace its own address, and is drawn anew when the reader goes back to the one
// before.
function useAddress(views) {
  const [{ at, turn }, go] = useState({ at: location.hash, turn: 0 });
  useEffect(() => {
    const moved = (e) => {
      if (!mayLeave(location.hash || '#/')) {
        history.pushState(null, '', e.oldURL);
        return;
      }
      go((old) => ({ at: location.hash, turn: old.turn + 1 }));
      document.getElementById('content')?.focus({ preventScroll: true });
    };
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const [path, query = ''] = at.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decoded);
  return { view: view in views ? view : '', id, query, turn };
}

// decoded decodes a part of an address. What can't be decoded is taken as it is: anybody may write a link.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const howToSignIn = settings.host_login ? 'host_help' : 'token_help';

const forDevelopers = role === 'admin' ? [[ownPath('/docs'), 'API']] : []; // the shop has it in the menu of the demo

// Frame shows a page. name is its text; views are its components by the first part of the address; menu lists those
// that the navigation has: the view, its icon, which has the name of its text, the other views that belong to it, and
// the group that begins with it; open has the views that need no sign-in; who shows the reader, and is given a function
// that shows the requests of the page, for which the console has a button; the footer has the links; counts are numbers
// in the menu, by view; marked says why the folded menu has a dot; banner stands above each view; login is another way
// to sign in than a token.
export function Frame({ name, views, menu, open, who, links = [], counts = {}, marked, ...more }) {
  const { banner, login, children } = more;
  const { view, id, query, turn } = useAddress(views);
  const server = useServer();
  const [drawer, setDrawer] = useState(false);
  const [unfolded, unfold] = useState(false); // the menu, where there is no room for it
  useEffect(() => {
    const current = document.querySelector('.top nav [aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    unfold(false);
  }, [view]);
  useEffect(() => {
    const [, icon] = menu.find(([at, , kindred]) => at === view || kindred?.includes(view)) ?? menu[0];
    entitle(t(`menu_${icon}`));
  }, [view]);
  const View = open.has(view) || server.refused || signedIn() ? views[view] : SignIn;
  const skip = (e) => {
    e.preventDefault();
    document.getElementById('content').focus();
  };
  return html`
    <a class="skip" href="#content" onClick=${skip}>${t('skip')}</a>
    <header class="top">
      <a class="brand" href="#/"><span class="mark" aria-hidden="true"></span>Onrush</a>
      ${children}
      <div id="menu" class="side ${unfolded ? 'unfolded' : ''}"><nav aria-label=${t(name)}>${menu.map(
        ([at, icon, kindred, group]) => html`${group && html`<p class="group">${t(group)}</p>`}
        <a href="#/${at}" aria-current=${currentOf(view, at, kindred)}><${Icon} name=${icon} />
          <span>${t(`menu_${icon}`)}</span>${counts[at] > 0 && html`${' '}<b class="count">${counts[at]}</b>`}</a>`,
      )}</nav>
      ${who(server, () => setDrawer((shown) => !shown))}
      <label class="language"><span class="hidden">${t('language')}</span>
        <${Select} value=${language} options=${Object.entries(languages)}
          onChange=${(e) => choose(e.target.value)} /></label>
      ${
        role === 'admin' &&
        html`<button class="quiet square" id="requests" aria-expanded=${drawer} title=${t('requests_help')}
        onClick=${() => setDrawer(!drawer)}><${Icon} name="code" /><span>${t('requests')}</span></button>`
      }</div>
      <button class="quiet square unfold ${marked ? 'marked' : ''}" aria-expanded=${unfolded} aria-controls="menu"
        aria-label=${marked ? `${t('menu')}. ${marked}` : t('menu')} title=${marked || t('menu')}
        onClick=${() => unfold(!unfolded)}><${Icon} name="menu" /></button>
    </header>
    ${!server.online && html`<p class="offline" role="alert">${t('offline')}</p>`}
    ${banner}
    <main id="content" tabindex="-1" data-view=${view}>
      <${View} key=${`${view} ${turn}`} id=${id} query=${query} login=${login} /></main>
    <footer>${[...links, ...forDevelopers].map(([at, text]) => html`<a href=${at}>${text}</a>`)}</footer>
    ${
      server.refused &&
      html`<${Dialog} title=${t('token_title')} close=${() => signIn('')}>
      ${
        server.ended
          ? html`<p class="problem" role="alert">${t('token_refused')}</p>`
          : html`<p class="muted">${t(howToSignIn)}</p>`
      }
      <${TokenForm} login=${login} /><//>`
    }
    ${drawer && html`<${Drawer} exchanges=${server.exchanges} close=${() => setDrawer(false)} />`}`;
}

// currentOf is the aria-current of the link to the view at: whether it is shown, or a view that belongs to it.
function currentOf(view, at, kindred) {
  if (view === at) return 'page';
  return kindred?.includes(view) ? 'true' : undefined;
}

function SignIn({ login }) {
  return html`<section class="card narrow">
    <h1>${t('token_title')}</h1><p class="muted">${t(howToSignIn)}</p><${TokenForm} login=${login} /></section>`;
}

// TokenForm asks for a token, or for a sign-in at the program around this one. Operators may have a key beside it.
function TokenForm({ login: Login }) {
  if (Login) return html`<${Login} /><${PastedToken} />`;
  if (!settings.host_login) return html`<${PastedToken} />`;
  return html`<button class="go" id="signed-in" onClick=${() => location.reload()}>${t('host_signed_in')}</button>
    ${role === 'admin' && html`<p class="muted">${t('token_help')}</p><${PastedToken} />`}`;
}

// PastedToken takes a token as people paste it: with line breaks, or as the whole header. No header takes other
// characters than those of ASCII.
function PastedToken() {
  const [error, set] = useState();
  const submit = (e) => {
    e.preventDefault();
    const { token } = valuesOf(e.target);
    const text = token.replace(/^Bearer\s+/i, '').replace(/[^\x21-\x7e]/g, '');
    if (isKey(text)) signInWithKey(text).catch(set);
    else signIn(text);
  };
  return html`<form onSubmit=${submit}>
      ${
        error?.code === 'unauthorized'
          ? html`<p class="problem" role="alert">${t('token_refused')}</p>`
          : html`<${Problem} error=${error} />`
      }
      <label>${t('token')}
      <textarea name="token" rows=${role === 'admin' ? 4 : 1} required autocomplete="off"
        spellcheck="false"></textarea></label>
      <button class="go large">${t('sign_in')}</button></form>`;
}
