// What an operator should know before a sale is published.
import { html } from '../vendor/preact-htm.js';
import { has, t } from '../shared/texts.js';
import { Action, useArrival } from './parts.js';

export function Checks({ checks, publish, then }) {
  const arrival = useArrival(checks);
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
