// A sale as a form: a draft is saved, checked and published; of a published sale what may still change is changed.
import { newKey } from '/assets/onrush.js';
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { Action, Badge, Field, readAll } from './parts.js';
import { bodyOf, changesOf, emptySale, formOf, merged } from './edit_form.js';
import { Skus } from './edit_skus.js';
import { Checks } from './checks.js';
import { Clone, Close } from './sale_actions.js';
import { stateOf } from './sales.js';
import { Stale } from './stale.js';

export function Edit({ id }) {
  const { value, error, reload } = useLoad(async () => {
    const [sale, own, all, points] = await Promise.all([
      id ? call('GET', `/activities/${encodeURIComponent(id)}`) : undefined,
      id ? readAll('/skus', { activity_id: id }) : [],
      readAll('/skus'),
      readAll('/points'),
    ]);
    const skus = new Map([...own, ...all].map((sku) => [sku.sku_id, sku])); // all may lack some of a large catalogue
    return { sale, skus: [...skus.values()], points };
  });
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  return html`<${Form} ...${value} />`;
}

function Form({ sale: stored, skus, points }) {
  const [sale, setSale] = useState(stored);
  const [form, setForm] = useState(() => (stored ? formOf(stored, skus) : emptySale(skus, points)));
  const [state, set] = useState({});
  const draft = !sale || sale.state === 'draft';
  const started = !draft && stateOf(sale) !== 'upcoming';
  const change = (more) => {
    setForm((old) => ({ ...old, ...more }));
    set({});
  };
  const field = (name) => ({ name, value: form[name], onInput: (e) => change({ [name]: e.target.value }) });
  const newID = useRef(newKey()); // chosen here, so that a second try after a lost answer makes no second draft
  const path = `/activities/${sale?.activity_id ?? newID.current}`;

  const save = async () => {
    if (!draft) return call('PATCH', path, { version: sale.version, body: changesOf(form, sale, skus) });
    return call('PUT', path, { version: sale?.version, body: bodyOf(form, skus, sale) });
  };
  // settle takes what others have stored; if keep is true, with the fields over it that were changed here.
  const settle = (keep) => async () => {
    try {
      const [theirs, base] = [await call('GET', path), sale ? formOf(sale, skus) : {}];
      setSale(theirs);
      setForm(keep ? merged(base, form, formOf(theirs, skus)) : formOf(theirs, skus));
      set({});
    } catch (error) {
      set({ error });
    }
  };
  const run = (then) => async (e) => {
    e?.preventDefault();
    set({ busy: true });
    try {
      const saved = await save();
      setSale(saved);
      if (!sale) history.replaceState(null, '', `#/edit/${saved.activity_id}`);
      set(await then(saved));
    } catch (error) {
      set({ error });
    }
  };
  const check = async (saved) => ({ checks: (await call('GET', `/activities/${saved.activity_id}/checks`)).items });
  const text = (name, rest) => html`<${Field} label=${t(name)} ...${field(name)} ...${rest} />`;
  const humanChecks = {
    options: ['none', 'pow', 'captcha'].map((name) => [name, t(`human_${name}`)]),
    onChange: (e) => change({ human_check: e.target.value }),
  };
  const limit = { placeholder: '10/1', pattern: '[1-9]\\d*/[1-9]\\d*', help: t('limit_form') };
  return html`<${Heading} sale=${sale} draft=${draft} path=${path} closed=${setSale} />
    ${!draft && html`<p class="notice">${t('edit_published')}</p>`}
    <form class="edit" onSubmit=${run(async () => ({ saved: true }))}>
      <section class="card"><h2>${t('edit_what')}</h2>
        ${text('title', { required: true, maxlength: 200 })}
        ${text('description', { type: 'textarea', maxlength: 5000 })}
        <div class="columns">
          ${text('image_url', { type: 'url', maxlength: 500 })}
          ${text('shop_id', { required: true, maxlength: 32, disabled: !draft })}</div></section>
      <section class="card"><h2>${t('edit_when')}</h2><div class="columns">
        ${text('starts_at', { type: 'datetime-local', required: true, disabled: started })}
        ${text('ends_at', { type: 'datetime-local', required: true })}
        ${text('pay_within', {
          type: 'number',
          min: 1 / 60,
          required: true,
          disabled: !draft,
          help: t('pay_within_help'),
        })}</div></section>
      <${Skus} form=${form} change=${change} skus=${skus} points=${points} draft=${draft} started=${started} />
      <section class="card"><h2>${t('edit_gates')}</h2><p class="muted">${t('edit_gates_help')}</p><div class="columns">
        ${text('purchase_limit', { type: 'number', min: 1, help: t('none_if_empty') })}
        ${text('permit_ratio', { type: 'number', min: 1, max: 100, help: t('permit_ratio_help') })}
        ${text('human_check', humanChecks)}
        ${text('paths_per_second', { type: 'number', min: 0.01, help: t('waiting_room_help') })}
        ${['item', 'user', 'ip'].map((name) => text(`limit_${name}`, limit))}</div></section>
      <${Stale} error=${state.error} mine=${settle(true)} theirs=${settle(false)} />
      <div aria-live="polite">${state.saved && html`<p class="good" id="saved">${t('saved')}</p>`}</div>
      <${Buttons} draft=${draft} busy=${state.busy} check=${run(check)} />
      ${state.checks && html`<${Checks} checks=${state.checks} publish=${() => publish(sale)} then=${goLive} />`}
    </form>`;
}

const publish = (sale) => call('POST', `/activities/${sale.activity_id}/publish`, { version: sale.version });
const goLive = (sale) => {
  location.hash = `#/live/${sale.activity_id}`;
};

function Heading({ sale, draft, path, closed }) {
  if (!sale) return html`<div class="row heading"><h1>${t('new_sale')}</h1></div>`;
  const remove = (_, key, version = sale.version) => call('DELETE', path, { version });
  return html`<div class="row heading"><h1>${sale.title}</h1><${Badge} state=${stateOf(sale)} />
      ${!draft && html`<a class="button" href="#/live/${sale.activity_id}">${t('show_live')}</a>`}
      <${Clone} sale=${sale} /><${Close} sale=${sale} then=${closed} />
      ${
        draft &&
        html`<${Action} label=${t('delete')} title=${t('delete_title', { name: sale.title })} kind="danger"
        run=${remove} then=${() => {
          location.hash = '#/sales';
        }} />`
      }</div>`;
}

// Buttons save the sale; those of a draft check it as well, once its fields are valid.
function Buttons({ draft, busy, check }) {
  return html`<div class="row">
    <button class=${draft ? 'quiet' : 'go'} id="save" disabled=${busy}>${t(draft ? 'save_draft' : 'save')}</button>
    ${
      draft &&
      html`<button type="button" class="go" id="check" disabled=${busy}
      onClick=${(e) => e.target.form.reportValidity() && check()}>${t('check_and_publish')}</button>`
    }</div>`;
}
