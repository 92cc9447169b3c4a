// What all parts are made of: colours, sizes of text, steps, icons, and the forms of numbers.
import { html } from '../vendor/preact-htm.js';
import { duration, money, moment, number, t } from '../shared/texts.js';
import { Icon, paths } from '../shared/icons.js';

// The colours of texts by meaning, each with the grounds on which it stands.
const inks = {
  ink: ['page', 'card', 'soft'],
  muted: ['page', 'card', 'soft'],
  link: ['page', 'card', 'soft'],
  accent: ['page', 'card', 'soft'],
  good: ['card', 'good-soft'],
  warn: ['card', 'warn-soft'],
  bad: ['card', 'bad-soft'],
  'on-accent': ['accent'],
  'on-go': ['go'],
};

// The colours of edges, from the one that can be seen best.
const edges = ['edge', 'outline', 'line'];

export function Colours() {
  return html`<ul class="swatches">${Object.entries(inks).flatMap(([ink, grounds]) =>
    grounds.map((ground) => html`<li class="ink-${ink} ground-${ground}"><b>${ink}</b><span>${ground}</span></li>`),
  )}${edges.map((edge) => html`<li class="edge-${edge} ground-card"><b>${edge}</b><span>card</span></li>`)}</ul>`;
}

export function Type() {
  return html`<dl class="scale">${['display', 'title', 'heading', 'large', 'body', 'small', 'figure'].map(
    (size) => html`<div><dt><code>--text-${size}</code></dt>
      <dd class="text-${size}">${size === 'figure' ? number(12345) : t('design_sample')}</dd></div>`,
  )}</dl>`;
}

export function Sizes() {
  return html`<ul class="steps">${[1, 2, 3, 4, 6, 8].map(
    (steps) => html`<li><span class="block step-${steps}"></span>${`${steps * 4} px`}</li>`,
  )}</ul>`;
}

export function Icons() {
  return html`<ul class="icons">${Object.keys(paths).map(
    (name) => html`<li><${Icon} name=${name} /><code>${name}</code></li>`,
  )}</ul>`;
}

const day = 86_400_000; // ms

export function Numbers() {
  const rows = {
    money: money(123456, 'CNY'),
    count: number(12345),
    time: moment('2030-01-02T03:04:05Z'),
    left: duration(754_000),
    days: duration(3 * day + 754_000),
  };
  return html`<dl class="facts card">${Object.entries(rows).map(
    ([name, value]) => html`<div><dt>${t(`design_number_${name}`)}</dt><dd class="figures-of-text">${value}</dd></div>`,
  )}</dl>`;
}
