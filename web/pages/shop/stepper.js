// A number of units, which is typed or changed by one.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';

/** @param {{ id?: string, value: number, most: number, label: string, change: (value: number) => void }} props */
export function Stepper({ id, value, most, label, change }) {
  const whole = (n) => Math.max(1, Math.min(most, Math.floor(n) || 1));
  const set = (n) => change(whole(n));
  const type = ({ target }) => {
    target.value = whole(Number(target.value)); // also where that is what it was before
    set(Number(target.value));
  };
  const least = value <= 1 ? t('stepper_least') : undefined;
  const all = value >= most ? t('stepper_most', { most: number(most) }) : undefined;
  return html`<span class="stepper" role="group" aria-label=${label}>
    <button type="button" class="less" aria-label=${t('less')} title=${least} disabled=${Boolean(least)}
      onClick=${() => set(value - 1)}>−</button>
    <input id=${id} type="number" inputmode="numeric" min="1" max=${most} value=${value} aria-label=${label}
      onChange=${type} />
    <button type="button" class="more" aria-label=${t('more')} title=${all} disabled=${Boolean(all)}
      onClick=${() => set(value + 1)}>+</button></span>`;
}
