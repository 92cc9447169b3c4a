// What a sale does now, in words, and where it is shown.
import { html } from '../vendor/preact-htm.js';
import { duration, t } from '../shared/texts.js';
import { useTick } from '../shared/server.js';
import { clockOf, unitsLeft, unitsOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { near } from './moment.js';
import { Badge } from './parts.js';
import { salesStopped, useSettings } from './standing.js';

const soon = 3_600_000; // ms before its start, in which a sale should be ready

// stateOf says what a sale does now: a published one is upcoming, running or ended.
export function stateOf(sale) {
  return sale.state === 'published' ? clockOf(sale).phase : sale.state;
}

// saleText names a sale in a sentence: a sale of each week has the same title, and another start.
export const saleText = (sale) => t('sale_named', { sale: sale.title, time: near(sale.starts_at) });

// shownState is the state of a sale in a badge: one that would run is stopped while all sales are.
export const shownState = (sale) => (stateOf(sale) === 'running' && salesStopped() ? 'stopped' : stateOf(sale));

// SaleState shows what a sale does now, or that it is paused.
export function SaleState({ sale }) {
  useSettings();
  const open = ['running', 'upcoming'].includes(stateOf(sale));
  return html`<${Badge} state=${open && sale.paused_at ? 'paused' : shownState(sale)} />`;
}

// SoldOut shows that a sale runs and has no unit left, which its state doesn't say. Units of unpaid orders may return.
export const SoldOut = ({ sale, stats }) =>
  stateOf(sale) === 'running' &&
  stats &&
  unitsLeft(stats) === 0 &&
  html`<span class="badge ${unitsOf(stats.stock, 'held') > 0 ? 'warn' : ''} sold-out">${t('sold_out')}</span>`;

// startsSoon reports whether a sale should be ready: it runs, or starts within an hour.
export function startsSoon(sale) {
  const state = stateOf(sale);
  return state === 'running' || (state === 'upcoming' && clockOf(sale).left < soon);
}

// countdown says when a sale begins or ends. Drafts and closed sales do neither.
export function countdown(sale) {
  if (sale.state !== 'published') return '';
  const { phase, left } = clockOf(sale);
  if (phase === 'upcoming') return t('starts_in', { time: duration(left) });
  return phase === 'running' ? t('ends_in', { time: duration(left) }) : t('ended_ago');
}

// Countdown is the countdown of a sale in its heading.
export function Countdown({ sale }) {
  useTick();
  return html`<span class="muted" role="timer">${countdown(sale)}</span>`;
}

// addressOf is where a sale is shown: drafts in their form, others live.
export const addressOf = (sale) => `#/${sale.state === 'draft' ? 'edit' : 'live'}/${sale.activity_id}`;

// hasReport says whether a sale is over, so that a list shows its report.
export const hasReport = (sale) =>
  ['ended', 'offline'].includes(stateOf(sale)) && may('GET /activities/{activity_id}/report');

export const reportOf = (sale) => `#/report/${encodeURIComponent(sale.activity_id)}`;
