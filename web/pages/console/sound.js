// The sound that calls an operator: the reader's choice, which all views share, and what allows and plays it.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Icon } from '../shared/icons.js';
import { ownName } from '../shared/settings.js';

const presses = ['pointerdown', 'keydown'];
const kept = ownName('alarm_sound'); // the reader's choice, in the browser
const listeners = new Set();

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

const wanted = () => localStorage.getItem(kept) === 'on';

// useSound is whether the reader wants a sound. At first nobody does.
export function useSound() {
  const [, follow] = useState(0);
  useEffect(() => {
    const listener = () => follow((n) => n + 1);
    listeners.add(listener);
    addEventListener('storage', listener); // of another tab
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
    };
  }, []);
  return wanted();
}

function change() {
  const on = !wanted();
  localStorage.setItem(kept, on ? 'on' : 'off');
  if (on) sound(); // so that the reader knows it, and the browser allows it
  for (const listener of listeners) listener();
}

// useSoundOf plays the sound when something comes among names, if the reader wants that. Without first, what is there
// at the beginning is not new.
export function useSoundOf(names, first = true) {
  const on = useSound();
  const known = useRef(first ? [] : undefined);
  useEffect(() => {
    if (!names) return;
    if (on && known.current && names.some((name) => !known.current.includes(name))) sound();
    known.current = names;
  }, [names?.join()]);
}

// SoundSwitch turns the sound on and off.
export function SoundSwitch({ id, kind = 'quiet' }) {
  const on = useSound();
  return html`<button type="button" class="sound ${kind}" id=${id} title=${t('alarm_sound')} onClick=${change}>
    <${Icon} name=${on ? 'bell' : 'silent'} /><span>${t(on ? 'sound_on' : 'sound_off')}</span></button>`;
}

// SoundWaits says that the reader has to press something before the sound is heard.
export function SoundWaits() {
  const on = useSound();
  const allowed = useAllowed(on);
  return html`<div class="standing" role="status" id="sound-waits">${
    on && !allowed && html`<p class="row">${t('alarm_waits')}</p>`
  }</div>`;
}
