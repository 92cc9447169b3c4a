// The alarm of a sale: the page's title shows what is wrong, and a sound tells of new problems.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { useEvery } from '../shared/server.js';
import { driftOf } from '../shared/sale_figures.js';
import { ownName } from '../shared/settings.js';
import { entitle } from '../shared/title.js';

const patience = 10_000; // ms that a question may have no answer until the figures are stale
const presses = ['pointerdown', 'keydown'];
const kept = ownName('alarm_sound'); // the reader's choice, in the browser

let speaker; // of the sound: browsers keep it suspended until the reader has pressed something in the page
let waiting; // the sound that is heard as soon as the browser allows it

function allow() {
  speaker ??= new AudioContext();
  return speaker.resume();
}

// sound plays two short tones, once however often it was asked for before the browser allowed it.
function sound() {
  waiting ??= allow().then(() => {
    waiting = undefined;
    play();
  });
}

function play() {
  for (const [begins, pitch] of [
    [0, 880],
    [0.25, 660],
  ]) {
    const tone = speaker.createOscillator();
    const loudness = speaker.createGain();
    tone.frequency.value = pitch;
    loudness.gain.value = 0.2;
    tone.connect(loudness).connect(speaker.destination);
    tone.start(speaker.currentTime + begins);
    tone.stop(speaker.currentTime + begins + 0.2);
  }
}

// useAllowed reports whether the browser lets the page sound. The first press anywhere in the page allows it.
function useAllowed(on) {
  const [, changed] = useState(0);
  useEffect(() => {
    if (!on) return undefined;
    allow();
    const draw = () => changed((n) => n + 1);
    draw();
    speaker.addEventListener('statechange', draw);
    for (const press of presses) addEventListener(press, allow, true);
    return () => {
      speaker.removeEventListener('statechange', draw);
      for (const press of presses) removeEventListener(press, allow, true);
    };
  }, [on]);
  return !speaker || speaker.state === 'running';
}

// useSound is whether the reader wants a sound, and how to change it. At first nobody does.
export function useSound() {
  const [on, set] = useState(localStorage.getItem(kept) === 'on');
  const change = (wanted) => {
    localStorage.setItem(kept, wanted ? 'on' : 'off');
    set(wanted);
    if (wanted) sound(); // so that the reader knows it, and the browser allows it
  };
  return [on, change];
}

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

// alarms says what is wrong with a sale: each [name, text, where], where being a link, [address, text], or missing.
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
    reasons.push(['dead', text, ['#/queue', t('alarm_see_queue')]]);
  }
  return reasons;
}

// Sound is the reader's choice of a sound.
export function Sound({ on, change }) {
  const allowed = useAllowed(on);
  return html`<label class="option sound"><input type="checkbox" id="sound" checked=${on}
      onChange=${(e) => change(e.target.checked)} />${t('alarm_sound')}</label>
    <p class="muted" role="status" id="sound-waits">${on && !allowed && t('alarm_waits')}</p>`;
}

// Alarm shows reasons, each [name, text, where]: on the page, in its title, and by a sound, if it is on, when there is
// a new one.
export function Alarm({ title, reasons, on }) {
  const known = useRef(new Set());
  const names = reasons.map(([name]) => name).join();
  useEffect(() => {
    entitle(`${reasons.length > 0 ? `(${reasons.length}!) ` : ''}${title}`);
  }, [title, reasons.length]);
  useEffect(() => {
    if (on && reasons.some(([name]) => !known.current.has(name))) sound();
    known.current = new Set(reasons.map(([name]) => name));
  }, [names]);
  return html`<div role="alert" class="alarms">${reasons.map(
    ([name, text, where]) =>
      html`<p key=${name} class="problem" id="alarm-${name}">${text}${
        where && html` <a href=${where[0]}>${where[1]}</a>`
      }</p>`,
  )}</div>`;
}
