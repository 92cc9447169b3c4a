// What an operator should know before a sale is published.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { checkText } from './check_text.js';
import { goTo } from './edit_errors.js';
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

// checkedFields are the fields of the form that checks have found something about: each {name, level}.
export const checkedFields = (checks, form) =>
  checks.filter(({ level }) => level !== 'ok').map((check) => ({ name: fieldOf(check, form), level: check.level }));

// publishText says to publish, in spite of warnings.
function publishText(warnings) {
  if (warnings === 0) return t('publish');
  return warnings === 1 ? t('publish_warning') : t('publish_warnings', { count: number(warnings) });
}

// ofInstallation are the checks of what all sales share.
const ofInstallation = ['persistence', 'channels'];

// weight puts what fails first, then warnings of the sale, then those of the installation.
function weight({ check, level }) {
  if (level === 'failure') return 0;
  return ofInstallation.includes(check) ? 2 : 1;
}

export function Checks({ checks: served, pictures, form, title, publish, then }) {
  const arrival = useArrival(served);
  const checks = [...served, ...usePictures(pictures)];
  const found = checks.filter(({ level }) => level !== 'ok').toSorted((a, b) => weight(a) - weight(b));
  const passed = checks.filter(({ level }) => level === 'ok');
  const warnings = found.filter(({ level }) => level === 'warning');
  const dear = warnings.filter(({ check }) => check === 'prices');
  const list = (some) => html`<ul>${some.map((check) => html`<${Line} check=${check} form=${form} />`)}</ul>`;
  return html`<section class="card checks" id="checks" ref=${arrival} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t('checks')}</h2>
    ${list(found)}
    ${
      passed.length > 0 &&
      html`<details id="passed"><summary>${t('checks_passed', { count: number(passed.length) })}</summary>
      ${list(passed)}</details>`
    }
    ${
      found.some(({ level }) => level === 'failure')
        ? html`<p class="bad">${t('checks_failed')}</p>`
        : html`<${Action} route="POST /activities/{activity_id}/publish" kind="go large"
            label=${publishText(warnings.length)} title=${dear.length > 0 && t('publish_dear', { sale: title })}
            help=${dear.map(checkText)} button=${t('publish')} id="publish" run=${publish} then=${then}
            done=${t('done_published', { sale: title })} />`
    }</section>`;
}

function Line({ check, form }) {
  const own = check.level !== 'ok' && weight(check) < 2;
  return html`<li class=${check.level}><span class="level">${t(`level_${check.level}`)}</span>
    <span class=${own ? 'own' : ''}>${checkText(check)} <${Mend} check=${check} form=${form} /></span></li>`;
}

// Mend leads to where what a check found can be changed.
function Mend({ check, form }) {
  if (check.level === 'ok') return null;
  if (['regions', 'reach'].includes(check.check)) return html`<a href="#/points">${t('menu_points')}</a>`;
  const field = fieldOf(check, form);
  return field && html`<button type="button" class="link" onClick=${() => goTo(field)}>${t('edit')}</button>`;
}
