// The skus of a sale as a table: their prices, their limits, and their units at each stock point. It takes cells that
// were copied in a spreadsheet.
import { Component, html, useMemo, useState } from '../vendor/preact-htm.js';
import { copy } from '../shared/copy.js';
import { money, number, t } from '../shared/texts.js';
import { Icon } from '../shared/icons.js';
import { Select } from '../shared/parts.js';
import { isBundle } from '../shared/sale_figures.js';
import { columnsOf, currencyOf, emptySku, isDelivered, priceOf, withUnits } from './edit_form.js';
import { pointText } from './list_parts.js';
import { cellsOf, copied, limit, pasted, price } from './edit_paste.js';

const titleOf = (id, skus) => skus.find((sku) => sku.sku_id === id)?.title ?? id;

export function Skus({ form, change, skus, points, draft, started, wrong }) {
  const [paste, setPaste] = useState();
  const at = columnsOf(form, points);
  const columns = useMemo(() => at, [at.join()]);
  const unused = skus.filter((sku) => !form.skus.some((used) => used.sku_id === sku.sku_id));
  const used = form.skus.map((sku) => sku.sku_id).join();
  const set = (i, more) =>
    change((old) => ({ skus: old.skus.map((sku, k) => (k === i ? { ...sku, ...more(sku) } : sku)) }));
  const add = () => change({ skus: [...form.skus, emptySku(unused[0], points)] });
  const remove = (i) => change((old) => ({ skus: old.skus.filter((_, k) => k !== i) }));
  const take = (e) => {
    const [, kind, row, k = '0'] = /^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(e.target.name) ?? [];
    const cells = cellsOf(e.clipboardData.getData('text/plain'));
    if (!kind || cells.flat().length < 2) return;
    e.preventDefault();
    const column = { sku: -1, price: 0, limit: 1, units: 2 + Number(k) }[kind];
    const world = { skus, points, draft, started };
    const taken = pasted(form, cells, { row: Number(row), column }, [price, limit, ...columns], world);
    setPaste({ ...taken, before: form });
    change(taken.form);
  };
  const undo = () => {
    change(paste.before);
    setPaste();
  };
  return html`<section class="card" id="skus"><h2>${t('edit_skus')}</h2>
    ${skus.length === 0 && html`<p class="empty">${t('edit_no_skus')} <a href="#/goods">${t('menu_goods')}</a></p>`}
    <p class="muted">${t('edit_paste_help')}</p>
    ${
      form.skus.length > 0 &&
      html`<${Grid} ...${{ form, set, remove, columns, skus, points, draft, started }}
      used=${used} wrong=${wrong} take=${take} />`
    }
    <div aria-live="polite">${
      paste &&
      html`<p class="notice" id="pasted">
      ${t('pasted', { filled: number(paste.filled) })}
      ${paste.skipped > 0 && html` ${t('pasted_skipped', { skipped: number(paste.skipped) })}`}${' '}
      <button type="button" class="quiet" onClick=${undo}>${t('undo')}</button></p>`
    }</div>
    <div class="row">
      ${
        draft &&
        unused.length > 0 &&
        html`<button type="button" class="quiet" id="add-sku" onClick=${add}>
        ${t('add_sku')}</button>`
      }
      ${draft && html`<${AddPoint} form=${form} change=${change} columns=${columns} points=${points} skus=${skus} />`}
      <${Copy} text=${() => copied(form, [price, limit, ...columns], points)} /></div></section>`;
}

// Copy copies the table for a spreadsheet. Where the page may not, it shows the text, for the reader to copy.
function Copy({ text }) {
  const [done, say] = useState();
  const take = async () => say((await copy(text())) ? true : { text: text() });
  return html`<button type="button" class="quiet" id="copy-table" onClick=${take}>
      ${t(done === true ? 'copied' : 'copy_table')}</button>
    <div role="status" id="copy-failed">${
      done?.text &&
      html`<p>${t('copy_failed')}</p>
        <textarea readonly rows="4" aria-label=${t('copy_table')} value=${done.text}
          onFocus=${(e) => e.target.select()}></textarea>`
    }</div>`;
}

// AddPoint adds a column. Goods that are not delivered are at no stock point.
function AddPoint({ form, change, columns, points, skus }) {
  const unused = points.filter((point) => !columns.includes(point.point_id));
  if (unused.length === 0 || !form.skus.some((sku) => isDelivered(sku.sku_id, skus))) return null;
  const add = (e) => change({ points: [...(form.points ?? []), e.target.value] });
  const options = [
    ['', t('add_point')],
    ...unused.map((point) => [point.point_id, pointText(point.point_id, point.name)]),
  ];
  return html`<label class="inline"><span class="hidden">${t('add_point')}</span>
    <${Select} name="add-point" value="" options=${options} onChange=${add} /></label>`;
}

function Grid({ form, set, remove, columns, skus, points, draft, started, used, wrong, take }) {
  const delivered = form.skus.some((sku) => isDelivered(sku.sku_id, skus));
  const nameOf = (id) => (delivered ? pointText(id, points.find((p) => p.point_id === id)?.name) : t('units'));
  return html`<div class="table grid" tabindex="0" role="region" aria-label=${t('edit_skus')}><table onPaste=${take}>
    <thead><tr><th scope="col">${t('sku')}</th>
      <th scope="col">${t('flash_price')}${started && html`<${Lock} why=${t('locked_started')} />`}</th>
      <th scope="col">${t('sku_limit')}
        ${started && html`<span class="muted">${t('only_raised')}</span>`}</th>
      ${columns.map(
        (id) => html`<th scope="col">${nameOf(id)}
        ${delivered && html`<span class="muted">${t('units')}</span>`}
        ${!draft && html`<${Lock} why=${t('edit_stock_live')} />`}</th>`,
      )}
      ${draft && html`<th><span class="hidden">${t('remove_sku')}</span></th>`}</tr></thead>
    <tbody>${form.skus.map(
      (sku, i) => html`
      <${Row} key=${i} ...${{ sku, i, set, remove, columns, skus, draft, started, used, wrong, nameOf }}
        only=${form.skus.length === 1} delivered=${delivered} />`,
    )}</tbody></table></div>
    ${!draft && html`<p class="muted locked"><${Icon} name="lock" /> ${t('edit_stock_live')}</p>`}
    ${started && html`<p class="muted locked"><${Icon} name="lock" /> ${t('locked_started_price')}</p>`}`;
}

// Lock says that a column is locked, and why.
function Lock({ why }) {
  return html` <span class="lock" title=${why}><${Icon} name="lock" /><span class="hidden">${why}</span></span>`;
}

const drawn = ['sku', 'i', 'columns', 'used', 'draft', 'started', 'wrong', 'only', 'delivered'];

// Row is drawn again only if it changed: a table may have thousands of cells.
class Row extends Component {
  shouldComponentUpdate(next) {
    return drawn.some((name) => next[name] !== this.props[name]);
  }

  render({ sku, i, set, remove, columns, skus, draft, started, used, wrong, only, nameOf }) {
    const title = titleOf(sku.sku_id, skus);
    const taken = used.split(',');
    const offered = skus.filter((other) => other.sku_id === sku.sku_id || !taken.includes(other.sku_id));
    const options = offered.map((other) => [other.sku_id, other.title]);
    if (!options.some(([id]) => id === sku.sku_id)) options.unshift([sku.sku_id, sku.sku_id]);
    const choose = (e) => {
      const id = e.target.value;
      const own = !isBundle(sku) && !isDelivered(id, skus);
      const stock = own ? withUnits({ stock: [] }, '0', unitsOf(sku)) : undefined;
      set(i, () => ({ sku_id: id, flash_price: priceOf(id, skus), currency: currencyOf(id, skus), ...stock }));
    };
    const cell = (name, label, value, input, rest) => html`<td data-name=${label}>
      <${Cell} name=${name} label=${`${title}: ${label}`} value=${value} error=${wrong[name]}
        onInput=${(e) => set(i, (old) => input(old, e.target.value))} ...${rest} /></td>`;
    return html`<tr>
      <td data-name=${t('sku')}><${Select} name="sku-${i}" aria-label=${t('sku')} value=${sku.sku_id}
          disabled=${!draft} options=${options} onChange=${choose} aria-invalid=${Boolean(wrong[`sku-${i}`])}
          aria-describedby=${wrong[`sku-${i}`] && `wrong-sku-${i}`} />
        ${wrong[`sku-${i}`] && html`<p class="bad" id="wrong-sku-${i}">${wrong[`sku-${i}`]}</p>`}
        <p class="muted">${listPrice(sku.sku_id, skus)}</p></td>
      ${cell(`price-${i}`, t('flash_price'), sku.flash_price, (_, text) => ({ flash_price: text }), {
        required: true,
        disabled: started,
      })}
      ${cell(`limit-${i}`, t('sku_limit'), sku.purchase_limit, (_, text) => ({ purchase_limit: text }), {
        min: 1,
        placeholder: t('optional_none'),
      })}
      ${columns.map((id, k) =>
        isBundle(sku) || (id !== '0' && !isDelivered(sku.sku_id, skus))
          ? html`<td data-name=${nameOf(id)} class="none" title=${whyNone(sku)}>
              <span aria-hidden="true">–</span><span class="hidden">${whyNone(sku)}</span></td>`
          : cell(
              `units-${i}-${k}`,
              nameOf(id),
              sku.stock.find((stock) => stock.point_id === id)?.quantity ?? '',
              (old, text) => withUnits(old, id, text),
              { disabled: !draft, required: sku.stock.length === 0 },
            ),
      )}
      ${
        draft &&
        html`<td><button type="button" class="quiet square" disabled=${only}
          title=${only ? t('remove_sku_last') : t('remove_sku')} aria-label=${`${title}: ${t('remove_sku')}`}
          onClick=${() => remove(i)}>×</button></td>`
      }</tr>`;
  }
}

// Cell is an input of the table. Enter goes on to the cell below.
function Cell({ name, label, error, ...rest }) {
  const below = (e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    const next = name.replace(/-(\d+)/, (_, row) => `-${Number(row) + 1}`);
    /** @type {HTMLInputElement} */ (document.querySelector(`.edit [name="${next}"]`))?.select();
  };
  return html`<input name=${name} type="number" min="0" step="any" aria-label=${label} onKeyDown=${below}
      aria-invalid=${Boolean(error)} aria-describedby=${error && `wrong-${name}`} ...${rest} />
    ${error && html`<p class="bad" id="wrong-${name}">${error}</p>`}`;
}

const whyNone = (sku) => t(isBundle(sku) ? 'bundle_no_stock' : 'not_delivered');

const unitsOf = (sku) => sku.stock.reduce((sum, stock) => sum + Number(stock.quantity), 0);

function listPrice(id, skus) {
  const sku = skus.find((s) => s.sku_id === id);
  return sku ? t('list_price_is', { price: money(sku.price, currencyOf(id, skus)) }) : '';
}
