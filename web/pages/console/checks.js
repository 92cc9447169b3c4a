// What an operator should know before a sale is published.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { checkText, ofInstallation } from './check_text.js';
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

// weight puts what fails first, then warnings of what all sales share, which may cost orders or money, then the others.
function weight({ check, level }) {
  if (level === 'failure') return 0;
  return isHeavy({ check, level }) ? 1 : 2;
}

const isHeavy = ({ check, level }) => level === 'warning' && ofInstallation.includes(check);

// together makes one line of what a check found about several skus: its skus are their ids.
function together(checks) {
  const lines = new Map();
  for (const check of checks) {
    const key = [check.check, check.level, check.point_id, check.detail].join('\n');
    const line = lines.get(key) ?? { ...check, skus: [] };
    if (check.sku_id) line.skus.push(check.sku_id);
    lines.set(key, line);
  }
  return [...lines.values()].toSorted((a, b) => weight(a) - weight(b));
}

// useChecks are the lines of what the server and the browser have found about a sale; undefined before it was checked.
export function useChecks(served, pictures) {
  const found = usePictures(served ? pictures : []);
  return served && together([...served, ...found]);
}

// Publish publishes a sale that may be published, once the reader has confirmed the prices that are too high, that no
// real money is paid, and that a crash may lose orders.
export function Publish({ checks, sale, names, then }) {
  const { title, activity_id: id, version } = sale;
  const warnings = checks.filter(({ level }) => level === 'warning');
  const of = (name) => warnings.filter(({ check }) => check === name);
  const [dear, unreal, lossy] = [of('prices'), of('channels'), of('persistence')];
  const asks = dear.length + unreal.length + lossy.length > 0;
  const question = t(dear.length > 0 ? 'publish_dear' : 'publish_title', { sale: title });
  const found = [...dear, ...unreal, ...lossy].map(
    (check) => html`<span class="below">${checkText(check, names)}</span>`,
  );
  const know = { name: 'know', label: t('publish_know'), type: 'checkbox', required: true };
  return html`<${Action} route="POST /activities/{activity_id}/publish" kind="go" label=${publishText(warnings.length)}
    title=${asks && question} fields=${unreal.length > 0 ? [know] : []} help=${found} button=${t('publish')}
    id="publish" run=${() => call('POST', `/activities/${id}/publish`, { version })} then=${then}
    done=${t('done_published', { sale: title })} />`;
}

export function Checks({ checks, served, form, names }) {
  const arrival = useArrival(served);
  const found = checks.filter(({ level }) => level !== 'ok');
  const passed = checks.filter(({ level }) => level === 'ok');
  const list = (some) => html`<ul>${some.map((check) => html`<${Line} ...${{ check, form, names }} />`)}</ul>`;
  return html`<section class="card checks" id="checks" ref=${arrival} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t('checks')}</h2>
    ${list(found)}
    ${
      passed.length > 0 &&
      html`<details id="passed"><summary>${t('checks_passed', { count: number(passed.length) })}</summary>
      ${list(passed)}</details>`
    }
    ${found.some(({ level }) => level === 'failure') && html`<p class="bad">${t('checks_failed')}</p>`}</section>`;
}

function Line({ check, form, names }) {
  return html`<li class=${`${check.level} ${isHeavy(check) ? 'heavy' : ''}`}>
    <span class="level">${t(isHeavy(check) ? 'level_serious' : `level_${check.level}`)}</span>
    <span>${checkText(check, names)} <${Mend} check=${check} form=${form} /></span></li>`;
}

// Mend leads to where what a check found can be changed.
function Mend({ check, form }) {
  if (check.level === 'ok') return null;
  if (['regions', 'reach'].includes(check.check)) return html`<a href="#/points">${t('menu_points')}</a>`;
  const field = fieldOf(check, form);
  return field && html`<button type="button" class="link" onClick=${() => goTo(field)}>${t('edit')}</button>`;
}
