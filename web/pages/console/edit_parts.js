// The bundles of a sale: skus that take units of other skus of it. A published sale keeps them as they are.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Select } from '../shared/parts.js';
import { isBundle } from '../shared/sale_figures.js';
import { Optional } from './edit_optional.js';

export function Parts({ form, change, skus, draft, wrong }) {
  if (!form.skus.some(isBundle) && (!draft || form.skus.length < 3)) return null;
  const set = (i, more) => change((old) => ({ skus: old.skus.map((sku, k) => (k === i ? { ...sku, ...more } : sku)) }));
  const known = (id) => skus.find((sku) => sku.sku_id === id);
  const titleOf = (id) => known(id)?.title ?? id;
  const others = (sku) =>
    form.skus.filter((o) => o !== sku && !isBundle(o) && known(o.sku_id)?.kind === known(sku.sku_id)?.kind);
  const isPart = (sku) => form.skus.some((other) => other.parts?.some((part) => part.sku_id === sku.sku_id));
  const isWrong = Object.keys(wrong).some((name) => name.startsWith('parts-'));
  return html`<${Optional} id="bundles" title=${t('bundles')} used=${form.skus.some(isBundle)} wrong=${isWrong}>
    <p class="muted">${t('bundles_help')}</p>
    ${form.skus.map(
      (sku, i) =>
        !isPart(sku) &&
        html`<${Bundle} key=${sku.sku_id} ...${{ sku, i, draft, titleOf }} others=${others(sku)}
          error=${wrong[`parts-${i}`]} set=${(more) => set(i, more)} />`,
    )}<//>`;
}

// Bundle is the parts of one sku, and a button that adds one. A sku without parts is no bundle. The form keeps its own
// units and waves, which requests don't have beside parts.
function Bundle({ sku, i, draft, others, titleOf, error, set }) {
  const parts = sku.parts ?? [];
  const free = others.filter((other) => !parts.some((part) => part.sku_id === other.sku_id));
  const put = (k, more) => set({ parts: parts.map((part, at) => (at === k ? { ...part, ...more } : part)) });
  const add = () => set({ parts: [...parts, { sku_id: free[0].sku_id, quantity: 1 }] });
  const remove = (k) => {
    const rest = parts.filter((_, at) => at !== k);
    set({
      parts: rest.length > 0 ? rest : undefined,
      ...(rest.length === 0 && sku.stock.length === 0 && { stock: [{ point_id: '0', quantity: 100 }] }),
    });
  };
  if (!draft && parts.length === 0) return null;
  return html`<fieldset class="waves"><legend>${titleOf(sku.sku_id)}</legend>
    ${parts.map((part, k) => {
      const offered = [part, ...free].map((other) => [other.sku_id, titleOf(other.sku_id)]);
      return html`<div class="row wave" key=${k}>
        <input type="number" name="part-units-${i}-${k}" min="1" max="999" required aria-label=${t('units')}
          value=${part.quantity} disabled=${!draft} onInput=${(e) => put(k, { quantity: e.target.value })} />
        <${Select} name="part-${i}-${k}" aria-label=${t('sku')} value=${part.sku_id} options=${offered}
          disabled=${!draft} onChange=${(e) => put(k, { sku_id: e.target.value })} />
        ${
          draft &&
          html`<button type="button" class="quiet square" title=${t('part_remove')}
            aria-label=${`${titleOf(part.sku_id)}: ${t('part_remove')}`} onClick=${() => remove(k)}>×</button>`
        }</div>`;
    })}
    ${error && html`<p class="bad" id="wrong-parts-${i}">${error}</p>`}
    ${
      draft &&
      html`<div class="row"><button type="button" class="quiet" name="parts-${i}" id="add-part-${i}"
        disabled=${free.length === 0 || parts.length >= 9} aria-invalid=${Boolean(error)}
        aria-describedby=${error && `wrong-parts-${i}`} onClick=${add}>${t('part_add')}</button></div>`
    }</fieldset>`;
}
