// Who the reader is, and what their scope allows. The server decides; the console only shows no more than that.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { call, signedIn } from '../shared/server.js';

let me; // as the server said it for the token
let token;
let asking = false;

// may reports whether the reader's scope allows a route, such as "POST /keys". What is not known yet is allowed.
export function may(route) {
  const scopes = scopesOf(route);
  return !me || !scopes || scopes.includes(me.scope);
}

// scopesOf returns the scopes that may call a route; undefined where that is not known.
export const scopesOf = (route) => me?.routes.find((known) => known.route === route)?.scopes;

// useMe asks who the reader is, each time another one signs in: {me, error, again}.
export function useMe(server) {
  const [state, set] = useState({});
  const ask = async () => {
    if (asking || !signedIn() || (me && token === server.token)) return;
    asking = true;
    try {
      me = await call('GET', '/me');
      token = server.token;
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
  return { ...state, again: ask };
}
