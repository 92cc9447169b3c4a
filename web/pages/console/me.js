// Who the reader is, and what their scope allows. The server decides; the console only shows no more than that.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { bySession, call, sessionOf, signedIn, state } from '../shared/server.js';

let me; // as the server said it for the token
let token;
let asking = false;

// may reports whether the reader's scope allows a route, such as "POST /keys". What is not known yet is allowed. The
// server names an operator of one shop only the routes that such operators may call.
export function may(route) {
  const scopes = scopesOf(route);
  return scopes ? scopes.includes(me.scope) : !ownShop();
}

// ownShop returns the only shop that the reader sees; undefined for all shops.
export const ownShop = () => known()?.shop_id;

// scopesOf returns the scopes that may call a route; undefined where that is not known.
export const scopesOf = (route) => known()?.routes.find((of) => of.route === route)?.scopes;

// known is what was said for the token of now.
const known = () => (token === state.token ? me : undefined);

// useMe asks who the reader is, each time another reader signs in: {me, error, again}.
export function useMe(server) {
  const [asked, set] = useState({});
  const ask = async () => {
    if (asking || !signedIn() || known()) return;
    asking = true;
    try {
      me = await call('GET', '/me');
      token = server.token;
      if (bySession()) sessionOf(me.name);
      set({ me });
    } catch (error) {
      me = undefined;
      set({ error });
    } finally {
      asking = false;
    }
  };
  useEffect(() => {
    ask();
  }, [server.token]);
  return { ...asked, me: known(), again: ask };
}
