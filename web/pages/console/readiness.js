// Whether a sale that comes is ready: Redis has it, its checks pass, and its limits and gates fit its units and the
// visitors that are expected.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { unitsOf } from '../shared/sale_figures.js';
import { startsSoon } from './sales.js';
import { gatesFor, Signs } from './visitors.js';

const sign = (level, text) => ({ level, text });

function loadedSign(sale, stats) {
  if (!stats || stats.partial) return sign('unknown', t('ready_unknown'));
  if (stats.loaded) return sign('ok', t('ready_loaded'));
  return sign(startsSoon(sale) ? 'failure' : 'warning', t('ready_not_loaded'));
}

function checksSign(checks) {
  if (!checks) return sign('unknown', t('ready_unchecked'));
  const count = (level) => checks.filter((check) => check.level === level).length;
  if (count('failure') > 0) return sign('failure', t('ready_failures', { count: number(count('failure')) }));
  if (count('warning') > 0) return sign('warning', t('ready_warnings', { count: number(count('warning')) }));
  return sign('ok', t('ready_checks'));
}

function limitsSign(sale) {
  const each = sale.skus.every((sku) => sku.purchase_limit > 0);
  return sale.purchase_limit > 0 || each ? sign('ok', t('ready_limits')) : sign('warning', t('ready_no_limits'));
}

const unitsIn = (sale) =>
  unitsOf(
    sale.skus.flatMap((sku) => sku.stock),
    'quantity',
  );

// gatesSign says how many buyers the waiting room can admit until the end, if there is one.
export function gatesSign(sale) {
  const rate = sale.waiting_room?.paths_per_second ?? 0;
  const units = unitsIn(sale);
  if (rate > 0) {
    const seconds = (Date.parse(sale.ends_at) - Date.parse(sale.starts_at)) / 1000;
    const admits = Math.floor(rate * seconds);
    const least = Math.ceil((units / seconds) * 100) / 100;
    const values = { admits: number(admits), units: number(units), rate: number(least) };
    return admits < units ? sign('failure', t('ready_room_slow', values)) : sign('ok', t('ready_room', values));
  }
  const others = sale.permit_ratio > 0 || sale.human_check !== 'none' || (sale.limits?.user?.requests ?? -1) > 0;
  return others ? sign('ok', t('ready_gates')) : sign('warning', t('ready_no_gates'));
}

// Readiness shows the signs of a sale that has not started.
export function Readiness({ sale, stats, checks }) {
  const visitors = sale.expected_visitors;
  const crowd = visitors ? gatesFor(sale, unitsIn(sale), visitors) : [sign('unknown', t('ready_no_visitors'))];
  const signs = [loadedSign(sale, stats), checksSign(checks), limitsSign(sale), gatesSign(sale), ...crowd];
  return html`<${Signs} signs=${signs} />`;
}
