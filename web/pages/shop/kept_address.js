// The address that the buyer types, kept in this tab while the buyer looks around.
import { ownName } from '../shared/settings.js';

const name = ownName('typed:address');

/**
 * typed returns what was typed into the form of an address, or null. id is the id of the address, or new.
 *
 * @param {string} id
 */
export function typed(id) {
  const kept = read();
  return kept?.id === id ? kept.values : null;
}

// typing returns the id of the address whose form was left with something typed in it, or null.
export const typing = () => read()?.id ?? null;

export const keep = (id, values) => sessionStorage.setItem(name, JSON.stringify({ id, values }));
export const forget = () => sessionStorage.removeItem(name);

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}
