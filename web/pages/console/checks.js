// What an operator should know before a sale is published.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { has, t } from '../shared/texts.js';
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

export function Checks({ checks: served, pictures, publish, then }) {
  const arrival = useArrival(served);
  const checks = [...served, ...usePictures(pictures)];
  const failed = checks.some((check) => check.level === 'failure');
  const text = (check) => {
    const key = `check_${check.check}_${check.level}`;
    const own = ['limits', 'prices', 'stock', 'times'].includes(check.check) || check.level === 'ok';
    return html`${has(key) ? t(key, { sku: check.sku_id ?? '', point: check.point_id ?? '' }) : check.detail}
      ${has(key) && !own && html`<span class="muted">${check.detail}</span>`}`;
  };
  return html`<section class="card checks" id="checks" ref=${arrival} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t('checks')}</h2>
    <ul>${checks.map(
      (check) => html`<li class=${check.level}>
      <span class="level">${t(`level_${check.level}`)}</span> ${text(check)}</li>`,
    )}</ul>
    ${
      failed
        ? html`<p class="bad">${t('checks_failed')}</p>`
        : html`<${Action} route="POST /activities/{activity_id}/publish" label=${t('publish')} kind="go large"
            id="publish" run=${publish} then=${then} />`
    }</section>`;
}
