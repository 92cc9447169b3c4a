// What needs a person apart from a sale that is watched live: the first lines of Today.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { Lines, useNeeded } from './attention.js';

const shown = 2;

// Needed leaves out what the page of the sale says itself: the bar above it, its notice, its alarms.
export function Needed({ sale, stats }) {
  const said = ['stopped', 'degrade', `paused-${sale}`, `drift-${sale}`];
  const dead = stats?.queue.dead > 0;
  const lines = (useNeeded() ?? []).filter(({ key }) => !said.includes(key) && !(dead && key.startsWith('dead-')));
  if (lines.length === 0) return null;
  const more = lines.length - shown;
  return html`<section class="attention needed" id="needed" aria-label=${t('menu_today')}>
    <${Lines} lines=${lines.slice(0, shown)} />
    ${more > 0 && html`<a href="#/">${t('needed_more', { count: number(more) })}</a>`}</section>`;
}
