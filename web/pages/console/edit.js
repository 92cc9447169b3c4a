// A sale as a form: a draft is saved, checked and published; of a published sale what may still change is changed, once
// the differences are confirmed. What is typed is kept in the browser until it is saved.
import { newKey } from '../../client/onrush.js';
import { html, useEffect, useMemo, useState } from '../vendor/preact-htm.js';
import { money, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { ownShop } from './me.js';
import { moment } from './moment.js';
import { Action, Field, readAll } from './parts.js';
import { bodyOf, columnsOf, emptySale, formOf, merged, same } from './edit_form.js';
import { Bar } from './edit_bar.js';
import { placed, Wrong } from './edit_errors.js';
import { File } from './edit_file.js';
import { forget, keep, kept, Leaving, useLeaving } from './edit_kept.js';
import { Limit } from './edit_limit.js';
import { Plan } from './edit_plan.js';
import { Preview } from './edit_preview.js';
import { Sections } from './edit_sections.js';
import { Skus } from './edit_skus.js';
import { checkedFields, Checks, useChecks } from './checks.js';
import { isStale } from './stale.js';
import { Menu } from './menu.js';
import { Clone, Close, Pause } from './sale_actions.js';
import { Countdown, SaleState, stateOf } from './sales.js';
import { Upload } from './upload.js';
import { Visitors } from './visitors.js';
import { Buyers } from './buyers.js';
import { Eligible } from './edit_eligible.js';
import { Parts } from './edit_parts.js';
import { Reserved } from './edit_reserved.js';
import { Waves } from './edit_waves.js';
import { BackToSales, SaleTabs } from './ways.js';

export function Edit({ id, query }) {
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
  return html`<${Form} ...${value} at=${new URLSearchParams(query).get('at')} />`;
}

// useForm is the form of a sale: base is the stored sale, form the values in the fields, draft the values that the
// browser kept. The id of a new sale is chosen here, so that a second try makes no second sale. renew chooses another
// id.
function useForm(stored, skus, points) {
  const draft = useMemo(() => kept(stored?.activity_id), []);
  const [id, setID] = useState(() => stored?.activity_id ?? draft?.id ?? newKey());
  const [base, setBase] = useState(() => (stored ? formOf(stored, skus) : (draft?.base ?? emptySale(skus, points))));
  const [form, setForm] = useState(() => (draft ? merged(draft.base, draft.form, base) : base));
  const [isKept, say] = useState(true);
  const [restored, setRestored] = useState(draft?.at); // when what was restored was typed
  const [isNew, setNew] = useState(!stored);
  const unsaved = !same(form, base);
  useEffect(() => {
    const key = isNew ? undefined : id;
    if (unsaved) say(keep(key, { form, base, id, at: new Date().toISOString() }));
    else forget(key);
  }, [form, base, id]);
  const renew = () => setID(newKey());
  const saved = (sale) => {
    if (isNew) forget(undefined);
    setNew(false);
    setRestored();
    setBase(formOf(sale, skus));
    setForm((now) => merged(form, now, formOf(sale, skus)));
  };
  const discard = () => {
    const stays = isNew ? emptySale(skus, points) : base;
    setRestored();
    setBase(stays);
    setForm(stays);
    if (isNew) renew();
  };
  return { id, base, setBase, form, setForm, unsaved, isKept, saved, discard, renew, restored: unsaved && restored };
}

// create makes a sale and replaces none: another tab may have made a sale of the same form. A sale that has what was
// sent is this one, whose answer was lost.
async function create(path, body, skus) {
  try {
    return await call('PUT', path, { body, create: true });
  } catch (error) {
    if (!isStale(error)) throw error;
    const there = await call('GET', path);
    if (there.state === 'draft' && same(bodyOf(formOf(there, skus), skus, there), body)) return there;
    throw error;
  }
}

// useFieldToChange puts the focus into the field that the reader came for, if there is one.
function useFieldToChange(name) {
  useEffect(() => {
    if (name) /** @type {HTMLElement} */ (document.querySelector(`.edit [name="${CSS.escape(name)}"]`))?.focus();
  }, []);
}

function Form({ sale: stored, skus, points, at }) {
  const [sale, setSale] = useState(stored);
  const typed = useForm(stored, skus, points);
  const { id, base, setBase, form, setForm, unsaved, isKept, saved, restored } = typed;
  const [state, set] = useState({});
  const leave = useLeaving(unsaved);
  const draft = !sale || sale.state === 'draft';
  const started = !draft && stateOf(sale) !== 'upcoming';
  const change = (more) => {
    setForm((old) => ({ ...old, ...(typeof more === 'function' ? more(old) : more) }));
    set((old) => (old.busy ? old : {}));
  };
  const path = `/activities/${id}`;

  // settle takes what others have stored; if keepMine is true, with the fields over it that were changed here.
  const settle = (keepMine) => async () => {
    try {
      const theirs = await call('GET', path);
      setSale(theirs);
      setBase(formOf(theirs, skus));
      setForm(keepMine ? merged(sale ? base : {}, form, formOf(theirs, skus)) : formOf(theirs, skus));
      set({});
    } catch (error) {
      set({ error });
    }
  };
  const run = (then) => async (e) => {
    e?.preventDefault();
    set({ busy: true });
    let body;
    try {
      body = bodyOf(form, skus, sale);
      if (!draft) {
        const plan = await call('PUT', `${path}/file?dry_run=true`, { version: sale.version, body });
        if (plan.differences.length === 0) saved(sale);
        set(plan.differences.length === 0 ? { saved: true } : { plan, body });
        return;
      }
      const now = await (sale ? call('PUT', path, { version: sale.version, body }) : create(path, body, skus));
      setSale(now);
      saved(now);
      if (!sale) history.replaceState(null, '', `#/edit/${now.activity_id}`);
      set(await then(now));
    } catch (error) {
      set({ error, body });
    }
  };
  // apply changes the published sale as its plan says.
  const apply = async ({ plan, body }) => {
    set({ busy: true });
    try {
      await call('PUT', `${path}/file`, { version: plan.version, body });
      const now = await call('GET', path);
      setSale(now);
      saved(now);
      set({ saved: true });
    } catch (error) {
      set({ error, body });
    }
  };
  const stay = () => set({});
  const apart = () => {
    typed.renew();
    set({});
  };
  const save = run(async () => ({ saved: true })); // the forms of dialogs are in this one, and save nothing
  const check = async (now) => {
    const { items } = await call('GET', `/activities/${now.activity_id}/checks`);
    return { saved: true, checks: items };
  };
  const wrong = useMemo(() => placed(state.error, state.body, form, columnsOf(form, points)), [state.error]);
  useFieldToChange(at);
  const names = namesOf(sale, skus);
  const checks = useChecks(state.checks, sale ? picturesOf(sale, skus) : []);
  useEffect(() => {
    if (state.error) /** @type {HTMLElement} */ (document.querySelector('.edit [aria-invalid=true]'))?.focus();
  }, [state.error]);
  const gone = () => {
    forget(sale.activity_id);
    leave.go('#/sales');
  };
  return html`<${Heading} sale=${sale} draft=${draft} path=${path} changed=${setSale} gone=${gone} />
    ${!draft && html`<p class="notice">${t('edit_published')}</p>`}
    ${
      restored &&
      html`<p class="notice" id="restored">${t('edit_restored', { time: moment(restored) })}${' '}
      <button type="button" class="quiet" onClick=${typed.discard}>${t('edit_discard')}</button></p>`
    }
    <div class="edit-frame"><${Sections} checked=${checkedFields(state.checks ?? [], form)} /><div class="edit-body">
    ${sale && html`<${Buyers} sale=${sale} />`}
    <form class="edit" onSubmit=${(e) => e.target === e.currentTarget && save(e)}>
      <${Fields} form=${form} change=${change} wrong=${wrong.fields} draft=${draft} started=${started}>
        <${Skus} form=${form} change=${change} skus=${skus} points=${points} draft=${draft} started=${started}
          wrong=${wrong.fields} />
        <${Parts} form=${form} change=${change} skus=${skus} draft=${draft} wrong=${wrong.fields} />
        <${Waves} form=${form} change=${change} skus=${skus} points=${points} draft=${draft}
          wrong=${wrong.fields} />
        <${Reserved} ...${{ form, change, skus, points }} wrong=${wrong.fields} /><//>
      ${checks && html`<${Checks} checks=${checks} served=${state.checks} form=${form} names=${names} />`}
      <${Bar} draft=${draft} busy=${state.busy} check=${run(check)} checks=${checks}
        publish=${{ sale, names, then: goLive }}
        others=${html`<${Preview} form=${form} skus=${skus} />
          <${File} id=${id} form=${form} skus=${skus} sale=${sale} />`}
        saved=${html`<${Saved} saved=${state.saved} unsaved=${unsaved} isKept=${isKept} />`}>
        <${Wrong} error=${state.error} wrong=${wrong} form=${form} names=${names} mine=${settle(true)}
          theirs=${settle(false)} apart=${!sale && apart} /><//>
    </form></div></div>
    ${state.plan && html`<${Plan} plan=${state.plan} names=${names} apply=${() => apply(state)} close=${stay} />`}
    <${Leaving} ...${leave} discard=${() => forget(sale?.activity_id)} />`;
}

const limits = ['limit_item', 'limit_user', 'limit_ip'];
const seldom = ['permit_ratio', 'human_check', ...limits, 'segments']; // fields that are folded unless one is set

// Fields are all fields of a sale but for its skus, which are its children.
function Fields({ form, change, wrong, draft, started, children }) {
  const field = (name) => ({ name, value: form[name], onInput: (e) => change({ [name]: e.target.value }) });
  const text = (name, rest) => html`<${Field} label=${t(name)} error=${wrong[name]} ...${field(name)} ...${rest} />`;
  const [unfolded] = useState(seldom.some((name) => form[name] && form[name] !== 'none'));
  const permits = { type: 'number', min: 1, max: 100, placeholder: '1.5', help: t('permit_ratio_help') };
  const humanChecks = {
    options: ['none', 'pow', 'captcha'].map((name) => [name, t(`human_${name}`)]),
    onChange: (e) => change({ human_check: e.target.value }),
  };
  const published = draft ? undefined : t('locked_published');
  const modes = {
    options: ['', 'draw'].map((name) => [name, t(`mode_${name || 'first'}`)]),
    onChange: (e) => change({ mode: e.target.value }),
    locked: published,
    help: t('mode_help'),
  };
  // What the browser's field can't show: the zone, and that the time is past.
  const when = (name) => {
    const at = new Date(form[name]);
    if (Number.isNaN(at.getTime())) return undefined;
    return at < new Date() ? html`<span class="warn">${t('time_past', { time: moment(at) })}</span>` : moment(at);
  };
  const running = started ? t('locked_started') : undefined;
  return html`<section class="card" id="what"><h2>${t('edit_what')}</h2>
      ${text('title', { required: true, maxlength: 200 })}
      ${text('description', { type: 'textarea', maxlength: 5000, help: t('description_help') })}
      <div class="columns">
        ${text('image_url', { inputmode: 'url', maxlength: 500, below: Upload })}
        ${!ownShop() && text('shop_id', { required: true, ...idInput, locked: published })}</div></section>
    <section class="card" id="when"><h2>${t('edit_when')}</h2><div class="columns">
      ${text('starts_at', { type: 'datetime-local', required: true, locked: running, help: when('starts_at') })}
      ${text('ends_at', { type: 'datetime-local', required: true, help: when('ends_at') })}
      ${text('pay_within', {
        type: 'number',
        min: 1 / 60,
        required: true,
        locked: published,
        help: t('pay_within_help'),
      })}
      ${text('pay_grace', { type: 'number', min: 0, max: 30, help: t('pay_grace_help') })}</div></section>
    ${children}
    <section class="card" id="gates"><h2>${t('edit_gates')}</h2>
      <p class="muted">${t('edit_gates_help')}</p><div class="columns">
      ${text('purchase_limit', { type: 'number', min: 1, help: t(started ? 'only_raised' : 'none_if_empty') })}
      ${text('basket_max', { type: 'number', min: 2, max: 10, locked: published, help: t('basket_max_help') })}
      ${text('paths_per_second', { type: 'number', min: 0.01, help: t('waiting_room_help') })}
      ${text('mode', modes)}
      ${text('offer_within_s', { type: 'number', min: 10, max: 86400, help: t('offer_within_s_help') })}</div>
      <details id="more-limits" open=${unfolded || seldom.some((name) => wrong[name])}
        onInvalidCapture=${(e) => {
          e.currentTarget.open = true;
        }}><summary>${t('more_limits')}</summary><div class="columns">
        ${text('permit_ratio', permits)}
        ${text('human_check', humanChecks)}
        ${limits.map(
          (name) => html`<${Limit} name=${name} value=${form[name]} error=${wrong[name]}
            change=${(value) => change({ [name]: value })} />`,
        )}
        ${text('segments', { help: t('segments_help'), maxlength: 600 })}</div></details></section>
    ${!started && html`<${Visitors} form=${form} change=${change} error=${wrong.expected_visitors} />`}
    <${Eligible} ...${{ text, change, published, form, wrong }} />`;
}

// Saved says whether the server has the values in the fields.
function Saved({ saved, unsaved, isKept }) {
  return html`<div class="saved" aria-live="polite">
    ${saved && !unsaved && html`<p class="good" id="saved">${t('saved')}</p>`}
    ${unsaved && html`<p class="muted" id="unsaved">${t(isKept ? 'unsaved' : 'unsaved_not_kept')}</p>`}</div>`;
}

// picturesOf are the addresses of the pictures of a sale and of its goods.
const picturesOf = (sale, skus) => [
  sale.image_url,
  ...sale.skus.map((own) => skus.find((sku) => sku.sku_id === own.sku_id)?.image_url),
];

// namesOf are the titles and the prices of what a sale sells, by the ids of the skus.
const namesOf = (sale, skus) => ({
  titleOf: (id) => skus.find((sku) => sku.sku_id === id)?.title ?? id,
  pricesOf: (id) => {
    const [own, goods] = [sale?.skus, skus].map((all) => all?.find((sku) => sku.sku_id === id));
    return [own?.flash_price, goods?.price].map((price) => price !== undefined && money(price, goods.currency));
  },
});

const goLive = (sale) => {
  location.hash = `#/live/${sale.activity_id}`;
};

// Heading has what is done with a sale besides its form: closing it for ever is seldom, as on its live page.
function Heading({ sale, draft, path, changed, gone }) {
  if (!sale) return html`<${BackToSales} /><div class="row heading"><h1>${t('new_sale')}</h1></div>`;
  const remove = (_, key, version = sale.version) => call('DELETE', path, { version });
  const again = async () => changed(await call('GET', path));
  const actions = draft
    ? html`<${Clone} sale=${sale} /><${Action} route="DELETE /activities/{activity_id}" label=${t('delete')}
        title=${t('delete_title', { name: sale.title })} kind="danger" help=${t('delete_draft_help')}
        done=${t('done_deleted', { name: sale.title })} run=${remove} then=${gone} />`
    : html`<${Pause} sale=${sale} then=${again} /><${Menu}><${Clone} sale=${sale} kind="link" />
        <${Close} sale=${sale} then=${again} /><//>`;
  return html`<${BackToSales} /><div class="row heading"><h1>${sale.title}</h1><${SaleState} sale=${sale} />
      <${Countdown} sale=${sale} /><span class="row actions">${actions}</span></div>
    <${SaleTabs} id=${sale.activity_id} draft=${draft} current="edit" />`;
}
