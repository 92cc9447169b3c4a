// A number of units, which is typed or changed by one.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

/** @param {{ value: number, most: number, label: string, change: (value: number) => void }} props */
export function Stepper({ value, most, label, change }) {
  const set = (n) => change(Math.max(1, Math.min(most, Math.floor(n) || 1)));
  return html`<span class="stepper" role="group" aria-label=${label}>
    <button type="button" class="less" aria-label=${t('less')} disabled=${value <= 1}
      onClick=${() => set(value - 1)}>−</button>
    <input type="number" inputmode="numeric" min="1" max=${most} value=${value} aria-label=${label}
      onChange=${(e) => set(Number(e.target.value))} />
    <button type="button" class="more" aria-label=${t('more')} disabled=${value >= most}
      onClick=${() => set(value + 1)}>+</button></span>`;
}
