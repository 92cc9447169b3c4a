// The region of an address: a region that stock points serve, or another one.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Select } from '../shared/parts.js';
import { readAll } from './lists.js';

const elsewhere = ' '; // no region is a space

// normal is the form by which the server compares regions, as far as browsers can fold case.
export function normal(region) {
  const visible = region
    .replace(/\p{Cf}/gu, '')
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ');
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Region is a choice. Where no stock point serves a region, it is a text. error says why it is invalid.
 *
 * @param {{ value?: string, set: (region: string) => void, error?: string }} props
 */
export function Region({ value = '', set, error }) {
  const [regions, setRegions] = useState();
  const [typed, setTyped] = useState(false); // the buyer types the region of an address that is elsewhere
  useEffect(() => {
    const names = ({ items }) => setRegions(items.map(({ region }) => region));
    readAll('/regions').then(names, () => setRegions([]));
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
      <input name="region" type="text" value=${value} maxlength="64" onInput=${type} ...${described} />
      ${wrong || (regions.length > 0 && html`<span class="muted">${t('region_other_help')}</span>`)}</label>`
    }`;
}
