// The way back to the waiting rooms in which the buyer is, from all other views.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { useServer } from '../shared/server.js';
import { carry, ends, stageOf, useWaits, waitIn, waits } from './line.js';

export function InLine() {
  const [at, go] = useState(location.hash);
  useEffect(() => {
    const moved = () => go(location.hash);
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const { token } = useServer();
  useEffect(() => waits().forEach(carry), [token]); // when the page is loaded, and after each sign-in
  useWaits();
  const links = [...waits(), ...ends()].map((sale) => ({ sale, to: `#/wait/${encodeURIComponent(sale)}` }));
  return html`<div class="in-line" role="status">${links
    .filter(({ to }) => to !== at)
    .map(
      ({ sale, to }) => html`<a class="card" key=${sale} href=${to}><b>${t('waiting_room')}</b>${' '}
      ${stand(waitIn(sale))}</a>`,
    )}</div>`;
}

// stand says where the buyer stands in a line, or that the wait is over.
function stand(wait) {
  if (wait.ended) return t('wait_over');
  const stage = stageOf(wait);
  if (stage === 'line') return t('wait_ahead', { ahead: number(wait.ahead) });
  if (stage === 'start') return t('wait_in_line');
  if (stage === 'units') return t('wait_units_title');
  if (stage === 'wave') return t('wait_wave_title');
  return t(['paused', 'stopped'].includes(stage) ? stage : 'wait_turn');
}
