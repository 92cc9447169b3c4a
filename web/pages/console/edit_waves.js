// The waves of a sale: parts of the stock that buyers may take from a time on. Waves of a published sale that have
// opened stay as they are.
import { html } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { now } from '../shared/server.js';
import { Icon } from '../shared/icons.js';
import { Select } from '../shared/parts.js';
import { isBundle } from '../shared/sale_figures.js';
import { local } from './sale_actions.js';
import { Optional } from './edit_optional.js';
import { pointText } from './list_parts.js';

const minutes = 60_000;

export function Waves({ form, change, skus, points, draft, wrong }) {
  const set = (i, waves) => change((old) => ({ skus: old.skus.map((sku, k) => (k === i ? { ...sku, waves } : sku)) }));
  const titleOf = (id) => skus.find((sku) => sku.sku_id === id)?.title ?? id;
  const used = form.skus.some((sku) => sku.waves?.length > 0);
  return html`<${Optional} id="waves" title=${t('waves')} used=${used}>
    <p class="muted">${t('waves_help')}</p>
    ${form.skus.map(
      (sku, i) =>
        !isBundle(sku) &&
        html`<${Plan} key=${sku.sku_id} ...${{ sku, i, draft, points, form }} title=${titleOf(sku.sku_id)}
        error=${wrong[`waves-${i}`]} set=${(waves) => set(i, waves)} />`,
    )}<//>`;
}

// Plan is the waves of one sku, and how many units are sold from the start.
function Plan({ sku, i, title, set, draft, points, form, error }) {
  const waves = sku.waves ?? [];
  const opened = (wave) => !draft && Boolean(wave.stored) && Date.parse(wave.stored) <= now();
  const put = (k, more) => set(waves.map((wave, at) => (at === k ? { ...wave, ...more } : wave)));
  const add = () => {
    const last = waves.at(-1)?.at || (draft ? form.starts_at : local(new Date(now()).toISOString()));
    const at = local(new Date(new Date(last).getTime() + 30 * minutes).toISOString());
    set([...waves, { point_id: sku.stock[0]?.point_id ?? '0', at, quantity: '' }]);
  };
  const total = sku.stock.reduce((sum, stock) => sum + Number(stock.quantity), 0);
  const later = waves.reduce((sum, wave) => sum + Number(wave.quantity), 0);
  const nameOf = (id) => pointText(id, points.find((point) => point.point_id === id)?.name);
  const named = sku.stock.map(({ point_id: id }) => [id, nameOf(id)]);
  return html`<fieldset class="waves"><legend>${title}</legend>
    ${waves.map(
      (wave, k) => html`<div class="row wave" key=${k}>
        ${
          named.length > 1 &&
          html`<${Select} name="wave-point-${i}-${k}" aria-label=${t('point')} value=${wave.point_id} options=${named}
            disabled=${opened(wave)} onChange=${(e) => put(k, { point_id: e.target.value })} />`
        }
        <input type="datetime-local" name="wave-at-${i}-${k}" step="1" required aria-label=${t('wave_at')}
          value=${wave.at} disabled=${opened(wave)} onInput=${(e) => put(k, { at: e.target.value })} />
        <input type="number" name="wave-units-${i}-${k}" min="1" required aria-label=${t('units')}
          value=${wave.quantity} disabled=${opened(wave)} onInput=${(e) => put(k, { quantity: e.target.value })} />
        ${
          opened(wave)
            ? html`<span class="muted"><${Icon} name="lock" /> ${t('wave_opened')}</span>`
            : html`<button type="button" class="quiet square" title=${t('wave_remove')}
              aria-label=${`${title}: ${t('wave_remove')}`}
              onClick=${() => set(waves.filter((_, at) => at !== k))}>×</button>`
        }</div>`,
    )}
    ${error && html`<p class="bad" id="wrong-waves-${i}">${error}</p>`}
    <div class="row">
      <button type="button" class="quiet" name="waves-${i}" id="add-wave-${i}" aria-invalid=${Boolean(error)}
        aria-describedby=${error && `wrong-waves-${i}`} onClick=${add}>${t('wave_add')}</button>
      ${
        waves.length > 0 &&
        html`<span class="muted">
          ${t('waves_rest', { rest: number(Math.max(0, total - later)), total: number(total) })}</span>`
      }</div></fieldset>`;
}
