// What an operator should know before a sale is published.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { has, number, t } from '../shared/texts.js';
import { goTo } from './edit_errors.js';
import { pointText } from './list_parts.js';
import { Action, useArrival } from './parts.js';

// pictureLoads resolves to whether a browser can load an image, as the shop will.
const pictureLoads = (url) =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = url;
  });

// usePictures returns the check of the pictures of a sale: a warning of each that can't be loaded.
function usePictures(urls) {
  const [found, set] = useState([]);
  useEffect(() => {
    let current = true;
    const all = [...new Set(urls.filter(Boolean))];
    Promise.all(all.map(pictureLoads)).then((loads) => {
      const lost = all.filter((_, i) => !loads[i]);
      const warnings = lost.map((url) => ({ check: 'pictures', level: 'warning', detail: url }));
      if (current) set(warnings.length > 0 ? warnings : [{ check: 'pictures', level: 'ok' }]);
    });
    return () => {
      current = false;
    };
  }, [urls.join(' ')]);
  return found;
}

// fieldOf is the field of the form that a check is about, or undefined.
function fieldOf({ check, sku_id: sku }, { skus }) {
  const row = skus.findIndex((one) => one.sku_id === sku);
  const fields = { times: 'starts_at', limits: 'purchase_limit', pictures: 'image_url', stock: 'units-0-0' };
  const cells = { prices: `price-${row}`, stock: `units-${row}-0`, limits: `limit-${row}`, catalogue: `sku-${row}` };
  return (row >= 0 && cells[check]) || fields[check];
}

// publishText says to publish, in spite of warnings.
function publishText(warnings) {
  if (warnings === 0) return t('publish');
  return warnings === 1 ? t('publish_warning') : t('publish_warnings', { count: number(warnings) });
}

export function Checks({ checks: served, pictures, form, title, publish, then }) {
  const arrival = useArrival(served);
  const checks = [...served, ...usePictures(pictures)];
  const warnings = checks.filter((check) => check.level === 'warning').length;
  const failed = checks.some((check) => check.level === 'failure');
  const text = (check) => {
    const key = `check_${check.check}_${check.level}`;
    const own = ['limits', 'prices', 'stock', 'times'].includes(check.check) || check.level === 'ok';
    return html`${has(key) ? t(key, { sku: check.sku_id ?? '', point: pointText(check.point_id ?? '') }) : check.detail}
      ${has(key) && !own && html`<span class="muted">${check.detail}</span>`}`;
  };
  return html`<section class="card checks" id="checks" ref=${arrival} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t('checks')}</h2>
    <ul>${checks.map(
      (check) => html`<li class=${check.level}>
      <span class="level">${t(`level_${check.level}`)}</span> ${text(check)}
      ${' '}<${Mend} check=${check} form=${form} /></li>`,
    )}</ul>
    ${
      failed
        ? html`<p class="bad">${t('checks_failed')}</p>`
        : html`<${Action} route="POST /activities/{activity_id}/publish" kind="go large"
            label=${publishText(warnings)} id="publish" run=${publish} then=${then}
            done=${t('done_published', { sale: title })} />`
    }</section>`;
}

// Mend leads to where what a check found can be changed.
function Mend({ check, form }) {
  if (check.level === 'ok') return null;
  if (['regions', 'reach'].includes(check.check)) return html`<a href="#/points">${t('menu_points')}</a>`;
  const field = fieldOf(check, form);
  return field && html`<button type="button" class="link" onClick=${() => goTo(field)}>${t('edit')}</button>`;
}
