// What led the buyer here: the room, the share and the inviter that a link names. It is kept until the tab is closed,
// and goes into every order of a sale and into the links that the buyer shares.
import { ownName, ownPath } from '../shared/settings.js';

const names = { room_id: 'roomId', share_code: 'shareCode', share_source: 'shareSource', inviter_id: 'inviterId' };
const kept = ownName('source');
const keptBefore = ownName('source_before'); // what was before the # of the address that was kept
const most = 64; // characters

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(kept)) ?? {};
  } catch {
    return {};
  }
}

// note keeps what the address names, before or behind its #. An address that names something replaces all that was
// kept: the last link counts. What is before the # stays there while the buyer looks around, and is no new link then.
export function note() {
  const [, behind = ''] = location.hash.split('?');
  const known = sessionStorage.getItem(keptBefore) === location.search;
  const [before, after] = [named(location.search), named(behind)];
  if (Object.keys(known ? after : { ...before, ...after }).length === 0) return;
  sessionStorage.setItem(kept, JSON.stringify({ ...before, ...after }));
  sessionStorage.setItem(keptBefore, location.search);
}

// named returns what a query names of what led the buyer here. An inviter that is no user id is left out: no order with
// it would be taken.
function named(query) {
  const fits = ([name, value]) =>
    name in names &&
    value &&
    [...value].length <= most &&
    !/\p{Cc}/u.test(value) &&
    (name !== 'inviter_id' || !/ $|(^|[/\\#;?])\.\.?([/\\#;?]|$)/.test(value));
  return Object.fromEntries([...new URLSearchParams(query)].filter(fits));
}

// source returns what led here, as buy of onrush.js takes it.
export function source() {
  return Object.fromEntries(Object.entries(read()).map(([name, value]) => [names[name], value]));
}

// shared returns a link to a sale that says by whom it was shared, if that is known.
export function shared(sale, user) {
  const query = new URLSearchParams({ ...read(), ...(user && { inviter_id: user }) });
  const shop = location.origin + ownPath('/');
  return `${shop}${[...query].length > 0 ? `?${query}` : ''}#/sale/${encodeURIComponent(sale)}`;
}
