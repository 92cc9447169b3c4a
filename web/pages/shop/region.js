// The region of an address: one of those that stock points serve, or another one.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call } from '../shared/server.js';
import { Select } from '../shared/parts.js';

const mostPages = 20; // of the list of regions
const elsewhere = ' '; // no region is a space

async function readRegions() {
  const regions = [];
  let after;
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ page_size: '100', ...(after && { after }) });
    const { items, next_cursor: next } = await call('GET', `/regions?${query}`);
    regions.push(...items.map(({ region }) => region));
    after = next;
    if (!after) break;
  }
  return regions;
}

// normal is nearly the form by which the server compares regions; it finds the spelling of a stock point.
export const normal = (region) => region.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/**
 * Region is a choice. Where no stock point serves a region, it is a text. error says what is wrong with it.
 *
 * @param {{ value?: string, set: (region: string) => void, error?: string }} props
 */
export function Region({ value = '', set, error }) {
  const [regions, setRegions] = useState();
  const [typed, setTyped] = useState(false); // the buyer types the region of an address that is elsewhere
  useEffect(() => {
    readRegions().then(setRegions, () => setRegions([]));
  }, []);
  if (!regions) return null;
  const known = regions.find((region) => normal(region) === normal(value));
  const free = typed || regions.length === 0 || (value && !known);
  const choose = (e) => {
    setTyped(e.target.value === elsewhere);
    set(e.target.value.trim());
  };
  const type = (e) => {
    setTyped(true);
    set(e.target.value);
  };
  const options = [
    ['', t('region_choose')],
    ...regions.map((region) => [region, region]),
    [elsewhere, t('region_other')],
  ];
  const described = { 'aria-invalid': Boolean(error), 'aria-describedby': error && 'wrong-region' };
  const wrong = error && html`<span class="bad" id="wrong-region">${error}</span>`;
  return html`${
    regions.length > 0 &&
    html`<label>${t('region')}
      <${Select} name="region-choice" value=${free ? elsewhere : (known ?? '')} options=${options} onChange=${choose}
        ...${!free && described} />${!free && wrong}</label>`
  }
    ${
      free &&
      html`<label>${t(regions.length > 0 ? 'region_other' : 'region')}
      <input name="region" type="text" value=${value} maxlength="32" onInput=${type} ...${described} />
      ${wrong || (regions.length > 0 && html`<span class="muted">${t('region_other_help')}</span>`)}</label>`
    }`;
}
