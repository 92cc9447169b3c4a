// What anybody can check of a draw: that its seed is the promised one, that the order of its entries follows from the
// seed, and that nobody was passed.

// canCheck reports whether this browser has SHA-256: on pages of plain http it has none.
export const canCheck = () => Boolean(globalThis.crypto?.subtle);

async function sha256(text) {
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * isPromised reports whether a seed has the hash that was shown before it.
 *
 * @param {{ seed: string, seed_hash: string }} draw
 */
export const isPromised = async ({ seed, seed_hash: hash }) => (await sha256(seed)) === hash;

/**
 * isInOrder reports whether entries are sorted by the SHA-256 of the seed, a line feed, and their ids.
 *
 * @param {string} seed
 * @param {{ entry_id: string }[]} lots
 */
export async function isInOrder(seed, lots) {
  const sums = await Promise.all(lots.map(({ entry_id: id }) => sha256(`${seed}\n${id}`)));
  return sums.every((sum, i) => i === 0 || sums[i - 1] < sum);
}

/**
 * passed returns the entries that got no offer though one behind them at their stock point did, which wanted as many
 * units or more. Who has left gets none.
 *
 * @param {{ point_id: string, quantity: number, drawn: boolean, left?: boolean }[]} lots
 */
export function passed(lots) {
  const most = {}; // units that one behind was drawn for, by point
  return lots.toReversed().filter(({ point_id: point, quantity, drawn, left }) => {
    if (drawn) most[point] = Math.max(quantity, most[point] ?? 0);
    return !drawn && !left && quantity <= (most[point] ?? 0);
  });
}
