// The list of the sections of the form of a sale: what is wrong or missing in each, and the way there. It reads the
// sections that are on the page, so that none is missing from the list.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { goTo } from './edit_errors.js';

const sectionsIn = () => [
  .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.edit-body section.card')),
];

// whole is the field that an input is part of: a field may have two.
const whole = (input) => input.closest('.field') ?? input;

// faultsOf counts what is wrong, missing, and to look at in a section. checked are the fields of the form that checks
// are about: each {name, level}.
function faultsOf(section, checked) {
  /** @type {HTMLInputElement[]} */
  const fields = [...section.querySelectorAll(':is(input, select, textarea, button):not(dialog *)')];
  const isRefused = (field) => field.getAttribute('aria-invalid') === 'true';
  const invalid = fields.filter((field) => !isRefused(field) && field.willValidate && !field.validity.valid);
  const missing = invalid.filter((field) => field.validity.valueMissing).length;
  const found = (level) =>
    section.querySelectorAll(`li.${level}`).length +
    checked.filter((check) => check.level === level && fields.some((field) => field.name === check.name)).length;
  return {
    wrong: new Set(fields.filter(isRefused).map(whole)).size + invalid.length - missing + found('failure'),
    missing,
    warning: section.querySelectorAll('.warn').length + found('warning'),
    complete: fields.some((field) => field.required && !field.disabled),
  };
}

const read = (checked) =>
  sectionsIn().map((section) => ({
    id: section.id,
    title: section.querySelector('h2').innerText,
    ...faultsOf(section, checked),
  }));

// useSections reads the sections whenever the form is drawn, and when a field says by itself that it is wrong.
function useSections(checked) {
  const [sections, set] = useState([]);
  const update = () => {
    const found = read(checked);
    set((old) => (JSON.stringify(found) === JSON.stringify(old) ? old : found));
  };
  useEffect(update);
  useEffect(() => {
    const observer = new MutationObserver(update);
    const watched = { subtree: true, childList: true, attributeFilter: ['aria-invalid', 'open'] };
    observer.observe(document.querySelector('.edit-body'), watched);
    return () => observer.disconnect();
  }, [JSON.stringify(checked)]);
  return sections;
}

// underBars is how far from the top of the window a section begins that the list led to, at most, in pixels.
const underBars = 140;

// useCurrent is the id of the section that the reader is at; at the end of the page, the last one.
function useCurrent() {
  const [current, set] = useState('');
  useEffect(() => {
    const follow = () => {
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const from = atEnd ? innerHeight : underBars;
      const above = sectionsIn().filter((section) => section.getBoundingClientRect().top < from);
      set(above.at(-1)?.id ?? '');
    };
    follow();
    addEventListener('scroll', follow, { passive: true });
    return () => removeEventListener('scroll', follow);
  }, []);
  return current;
}

// jump leads to the first field of a section that is wrong or missing, or to its heading.
function jump(id) {
  const section = document.getElementById(id);
  const first = /** @type {HTMLInputElement} */ (
    section.querySelector('[aria-invalid=true]') ?? section.querySelector(':is(input, select, textarea):invalid')
  );
  section.querySelector('.optional')?.setAttribute('open', '');
  section.scrollIntoView({ block: 'start' });
  if (first) {
    goTo(first.name);
    return;
  }
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
}

// show brings a section into sight in the list, where the list has one line.
function show(id) {
  const entry = document.getElementById(`to-${id}`);
  entry?.closest('nav').scrollTo({ left: entry.offsetLeft - 16 });
}

export function Sections({ checked }) {
  const sections = useSections(checked);
  const current = useCurrent();
  const fault = sections.find(({ wrong, missing, warning }) => wrong + missing + warning > 0)?.id;
  useEffect(() => {
    if (current !== 'checks') show(fault); // who has come to the checks sees them in the list
  }, [fault]);
  useEffect(() => show(current), [current]);
  return html`<nav class="sections" aria-label=${t('sections')}><ol>${sections.map(
    (section) => html`<li key=${section.id}><button type="button" id="to-${section.id}"
      aria-current=${section.id === current ? 'true' : undefined} onClick=${() => jump(section.id)}>
      <span>${section.title}</span><${Faults} section=${section} /></button></li>`,
  )}</ol></nav>`;
}

function Faults({ section: { wrong, missing, warning, complete } }) {
  const say = (kind, count) =>
    count > 0 && html`<small class=${kind}>${t(`section_${kind}`, { n: number(count) })}</small>`;
  if (wrong + missing + warning > 0) {
    return html`${say('wrong', wrong)}${say('missing', missing)}${say('warning', warning)}`;
  }
  return (
    complete &&
    html`<small class="complete" title=${t('section_complete')}><span aria-hidden="true">✓</span>
    <span class="hidden">${t('section_complete')}</span></small>`
  );
}
