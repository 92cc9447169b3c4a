// What the last change did, shown for a while at the foot of every view, with a button that takes it back where that is
// possible in one step.
import { newKey } from '../../client/onrush.js';
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { problemText, t } from '../shared/texts.js';

const stays = 8000; // ms
const staysToUndo = 20_000; // ms
const listeners = new Set();
let shown; // {text, kind, undo, then}

// say shows a text in place of the one before. undo takes an Idempotency-Key and takes the change back; then is called
// afterwards.
/** @param {any} [text] @param {any} [more] */
export function say(text, more = {}) {
  const { kind = '', undo, then } = more;
  shown = text && { text, kind, undo, then };
  for (const listener of listeners) listener(shown);
}

// takeBack carries an undo out once: a second press while it runs would take back another time.
async function takeBack(toast) {
  if (toast.taken) return;
  toast.taken = true;
  const { undo, then } = toast;
  try {
    await undo(newKey());
    say(t('undone'));
  } catch (error) {
    say(problemText(error), { kind: 'bad' });
  }
  then?.();
}

export function Toast() {
  const [toast, set] = useState(shown);
  const box = useRef();
  useEffect(() => {
    listeners.add(set);
    return () => listeners.delete(set);
  }, []);
  useEffect(() => {
    if (!toast) return undefined;
    const end = () => {
      if (box.current?.matches(':hover, :focus-within')) timer = setTimeout(end, stays);
      else say();
    };
    let timer = setTimeout(end, toast.undo ? staysToUndo : stays);
    return () => clearTimeout(timer);
  }, [toast]);
  const undo = () => takeBack(toast);
  return html`<div class="toast" role="status" ref=${box}>${
    toast &&
    html`<p class="row"><span class=${toast.kind}>${toast.text}</span>
      ${toast.undo && html`<button type="button" class="quiet" id="undo" onClick=${undo}>${t('undo')}</button>`}
      <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => say()}>×</button></p>`
  }</div>`;
}
