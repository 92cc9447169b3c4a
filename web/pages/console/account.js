// The account of a sale's units, per sku and stock point:
// total = remaining + offered + placed + sold + returning + changing.
import { Component, html, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { accountColumns, accountSums, driftOf } from '../shared/sale_figures.js';
import { pointText } from './list_parts.js';
import { goodOrBad } from './parts.js';
import { Repair } from './repair.js';

// adds reports whether an account adds up: it may while a stock change is stuck, but is not ok then.
function adds(audit) {
  if (audit.ok) return true;
  return audit.changes_stuck > 0 && audit.bought_wrong === 0 && driftOf([...audit.items, ...audit.totals]) === 0;
}

// group puts the items of each sku together, with their sums.
function group(items) {
  const skus = new Map();
  for (const item of items) {
    if (!skus.has(item.sku_id)) skus.set(item.sku_id, []);
    skus.get(item.sku_id).push(item);
  }
  return [...skus].map(([id, points]) => ({ sku_id: id, points, ...accountSums(points) }));
}

export function Account({ audit, sale, again }) {
  const skus = group(audit.items);
  const ids = skus.map((sku) => sku.sku_id);
  const [open, setOpen] = useState(() => new Set(ids.length <= 10 ? ids : []));
  const toggle = (id) =>
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const all = open.size === ids.length;
  const right = adds(audit);
  const columns = accountColumns.filter((name) => name !== 'offered' || audit.items.some((item) => item.offered));
  return html`<section class="account"><div class="row heading"><h2>${t('account')}</h2>
      <span class="badge ${goodOrBad(right)}">${t(right ? 'account_ok' : 'account_wrong')}</span>
      ${!right && html`<${Repair} sale=${sale} then=${again} />`}
      <button class="quiet" id="all-points" onClick=${() => setOpen(new Set(all ? [] : ids))}>
        ${t(all ? 'fold_points' : 'show_points')}</button></div>
    <details><summary>${t('account_how')}</summary><p class="muted">${t('account_rule')}</p></details>
    ${
      audit.changes_pending > 0 &&
      html`<p class="notice">
      ${t('changes_pending', { changes: number(audit.changes_pending) })}${' '}
      ${audit.changes_stuck > 0 && t('changes_stuck', { changes: number(audit.changes_stuck) })}</p>`
    }
    <div class="table wide" tabindex="0" role="region" aria-label=${t('account')}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t('sku')}</th>
        <th scope="col" role="columnheader">${t('point')}</th>
        ${columns.map(
          (name) => html`
        <th scope="col" role="columnheader" class="number">${t(`units_${name}`)}</th>`,
        )}</tr></thead>
      ${skus.map(
        (sku) => html`<tbody role="rowgroup" key=${sku.sku_id}>
        <${Row} sku=${sku.sku_id} values=${sku} columns=${columns} open=${open.has(sku.sku_id)} toggle=${toggle} />
        ${
          open.has(sku.sku_id) &&
          sku.points.map(
            (item) => html`
          <${Row} key=${item.point_id} point=${item.point_id} values=${item} columns=${columns} />`,
          )
        }</tbody>`,
      )}
    </table></div></section>`;
}

// Row is drawn again only if a figure changed: a sale may have a thousand of them.
class Row extends Component {
  shouldComponentUpdate(next) {
    const { open, columns, values } = this.props;
    return (
      next.open !== open ||
      next.columns.length !== columns.length ||
      next.columns.some((name) => next.values[name] !== values[name])
    );
  }

  render({ sku, point, values, columns, open, toggle }) {
    return html`<tr class=${sku ? 'sum' : ''} role="row">
      <td class="name" role="cell">${
        sku && html`<button class="fold" aria-expanded=${open} onClick=${() => toggle(sku)}>${sku}</button>`
      }</td>
      <td class="name" role="cell" data-name=${point && t('point')}>${point && pointText(point)}</td>
      ${columns.map((name) => {
        const kind = name === 'drift' ? goodOrBad(values.drift === 0) : '';
        const heading = t(`units_${name}`);
        return html`<td class="number ${kind}" role="cell" data-name=${heading}>${number(values[name] ?? 0)}</td>`;
      })}</tr>`;
  }
}
