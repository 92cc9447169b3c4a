// Arithmetic about sales for both pages: phases and times on the server's clock, units, and accounts of units.
import { now } from './server.js';

// msUntil returns the ms until a time such as 2030-01-02T03:04:05Z, and msSince the ms since such a time. Either may be
// negative.
export const msUntil = (time) => Date.parse(time) - now();
export const msSince = (time) => now() - Date.parse(time);

// clockOf returns the phase of a published sale, which is upcoming, running or ended, and the ms left of the phase.
export function clockOf(sale) {
  const [starts, ends] = [msUntil(sale.starts_at), msUntil(sale.ends_at)];
  if (starts > 0) return { phase: 'upcoming', left: starts };
  if (ends > 0) return { phase: 'running', left: ends };
  return { phase: 'ended', left: 0 };
}

// unitsOf sums a figure of items, such as total or quantity. Items without it count as 0.
export const unitsOf = (items, figure) => items.reduce((sum, item) => sum + (item[figure] ?? 0), 0);

// isBundle reports whether a sku takes units of others instead of its own.
export const isBundle = (sku) => sku.parts?.length > 0;

// unitsLeft returns how many units of a sale remain by its statistics, or undefined while Redis doesn't have the sale.
export const unitsLeft = (stats) => (stats.loaded ? unitsOf(stats.stock, 'remaining') : undefined);

// accountColumns are the figures of an account of units: total = remaining + offered + placed + sold + returning +
// changing, and drift is how many units are missing or surplus.
export const accountColumns = ['total', 'remaining', 'offered', 'placed', 'sold', 'returning', 'changing', 'drift'];

// driftOf returns by how many units the items of an account are off. Drifts of several items don't cancel out.
export const driftOf = (items) => items.reduce((sum, item) => sum + Math.abs(item.drift), 0);

// accountSums sums the items of an account by column.
export function accountSums(items) {
  const sums = accountColumns.map((column) => [column, unitsOf(items, column)]);
  return { ...Object.fromEntries(sums), drift: driftOf(items) };
}
