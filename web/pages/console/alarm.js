// The alarm of a sale: the page's title shows what is wrong, and a sound tells of new problems.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { driftOf } from '../shared/sale_figures.js';
import { entitle } from '../shared/title.js';
import { Action } from './parts.js';
import { useSoundOf } from './sound.js';

const patience = 10_000; // ms that a question may have no answer until the figures are stale

// useWatched is useEvery, also while the page is hidden: the alarm is for whoever looks at something else. since is
// when the question was asked that has no answer yet, in ms, or 0. Hidden pages ask seldom, so that an old answer means
// nothing.
export function useWatched(ms, load) {
  const asked = useRef(0);
  const read = useEvery(
    ms,
    async () => {
      asked.current ||= Date.now();
      try {
        const answer = await load();
        asked.current = 0;
        return answer;
      } catch (error) {
        if (error.status < 500) asked.current = 0; // such as: the sale has no account yet
        throw error;
      }
    },
    true,
  );
  return { ...read, since: asked.current };
}

// replay puts the orders that can't be stored back into their queues.
async function replay(_, key) {
  const { items } = await call('GET', '/queue/dead?page_size=100');
  for (const reason of new Set(items.map((entry) => entry.reason))) {
    await call('POST', '/queue/dead:replay', { key: `${key}-${reason}`, body: { reason } });
  }
}

// alarms says what is wrong with a sale: each [name, text, acts], where acts are what can be done, or missing.
// stats and audit were read by useWatched.
export function alarms({ value: stats, since }, { value: audit, since: auditSince }) {
  const drift = audit && driftOf([...audit.items, ...audit.totals]);
  const reasons = [];
  const late = (asked) => asked > 0 && Date.now() - asked > patience;
  if (late(since) || late(auditSince)) reasons.push(['stale', t('alarm_stale')]);
  if (audit && !audit.ok) {
    reasons.push(['drift', drift > 0 ? t('alarm_drift', { drift: number(drift) }) : t('account_wrong')]);
  }
  if (stats?.queue.dead > 0) {
    const text = t('alarm_dead', { dead: number(stats.queue.dead) });
    const acts = html`<${Action} route="POST /queue/dead:replay" label=${t('replay')} id="alarm-replay" run=${replay}
      done=${t('done_replayed')} /><a href="#/queue">${t('menu_queue')}</a>`;
    reasons.push(['dead', text, acts]);
  }
  return reasons;
}

// Alarm shows reasons, each [name, text, acts]: on the page, in its title, and by a sound, if it is on, when there is
// a new one.
export function Alarm({ title, reasons }) {
  useEffect(() => {
    entitle(`${reasons.length > 0 ? `(${reasons.length}!) ` : ''}${title}`);
  }, [title, reasons.length]);
  useSoundOf(reasons.map(([name]) => name));
  return html`<div role="alert" class="alarms">${reasons.map(
    ([name, text, acts]) =>
      html`<div key=${name} class="problem row" id="alarm-${name}"><span class="grow">${text}</span>${acts}</div>`,
  )}</div>`;
}
