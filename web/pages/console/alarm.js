// The alarm of a sale: what is wrong is in the page's title, and a sound says that something new is.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { driftOf } from '../shared/sale_figures.js';

const patience = 10_000; // ms after which figures that were not read again are stale
const kept = 'alarm_sound'; // the reader's choice, in the browser

let speaker; // of the sound: browsers let a page make one only after a press

// sound plays two short tones.
function sound() {
  speaker ??= new AudioContext();
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

// alarms says what is wrong with a sale: each [name, text]. read is when its figures were read, in ms.
export function alarms(stats, audit, read) {
  const drift = audit && driftOf([...audit.items, ...audit.totals]);
  const reasons = [];
  if (read && Date.now() - read > patience) reasons.push(['stale', t('alarm_stale')]);
  if (audit && !audit.ok) {
    reasons.push(['drift', drift > 0 ? t('alarm_drift', { drift: number(drift) }) : t('account_wrong')]);
  }
  if (stats?.queue.dead > 0) reasons.push(['dead', t('alarm_dead', { dead: number(stats.queue.dead) })]);
  return reasons;
}

// Alarm shows reasons, each [name, text]: on the page, in its title, and by a sound when there is a new one.
export function Alarm({ title, reasons, on, change }) {
  const known = useRef(new Set());
  const names = reasons.map(([name]) => name).join();
  useEffect(() => {
    document.title = `${reasons.length > 0 ? `(${reasons.length}!) ` : ''}${title} · Onrush`;
  }, [title, reasons.length]);
  useEffect(() => {
    if (on && reasons.some(([name]) => !known.current.has(name))) sound();
    known.current = new Set(reasons.map(([name]) => name));
  }, [names]);
  return html`<div role="alert" class="alarms">${reasons.map(
    ([name, text]) => html`<p key=${name} class="problem" id="alarm-${name}">${text}</p>`,
  )}</div>
    <label class="option sound"><input type="checkbox" id="sound" checked=${on}
      onChange=${(e) => change(e.target.checked)} />${t('alarm_sound')}</label>`;
}
