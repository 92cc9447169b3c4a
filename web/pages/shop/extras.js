// What a buyer may tell the shop: a remark, and fields by name.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

const mostFields = 20;

// useExtras returns the remark and the fields, as buy takes them: absent where nothing was written. The goods require
// the fields with the given names; lacking says that one of them is blank, and tell marks these.
export function useExtras(required = []) {
  const [remark, setRemark] = useState('');
  const [rows, setRows] = useState([]);
  const [asked, setAsked] = useState({});
  const [told, tell] = useState(0); // how often
  const blank = (name) => !asked[name]?.trim();
  const fields = Object.fromEntries([
    ...rows.map(([name, value]) => [name.trim(), value]).filter(([name]) => name),
    ...required.filter((name) => !blank(name)).map((name) => [name, asked[name]]),
  ]);
  return {
    required,
    asked,
    setAsked,
    lacking: required.some(blank),
    told,
    tell: () => tell((n) => n + 1),
    remark,
    setRemark,
    rows,
    setRows,
    choice: { remark: remark.trim() || undefined, fields: Object.keys(fields).length > 0 ? fields : undefined },
  };
}

// Note is the remark, folded away until the buyer wants to write one; children come below it.
export function Note({ extras: { remark, setRemark }, children }) {
  return html`<details class="extras"><summary>${t('extras')}</summary>
    <label>${t('remark')}<textarea id="remark" name="remark" rows="2" maxlength="500" value=${remark}
      onInput=${(e) => setRemark(e.target.value)}></textarea></label>${children}</details>`;
}

// Required are the fields that the goods require.
export function Required({ extras: { required, asked, setAsked, told } }) {
  const section = useRef();
  useEffect(() => {
    if (told) section.current?.querySelector('[aria-invalid=true]')?.focus();
  }, [told]);
  if (required.length === 0) return null;
  const field = (name, i) => {
    const wrong = told > 0 && !asked[name]?.trim();
    return html`<label key=${name}><span class="required">${name}</span>
    <input name="required_field" required maxlength="200" value=${asked[name] ?? ''} aria-invalid=${wrong}
      aria-describedby=${wrong ? `wrong-field-${i}` : undefined}
      onInput=${(e) => setAsked({ ...asked, [name]: e.target.value })} />
    ${wrong && html`<span class="bad" id="wrong-field-${i}">${t('field_missing')}</span>`}</label>`;
  };
  return html`<fieldset class="asked" ref=${section}><legend>${t('fields_title')}</legend>${required.map(field)}
  </fieldset>`;
}

// still keeps the Enter key from buying.
const still = (e) => {
  if (e.key === 'Enter') e.preventDefault();
};

export function Extras({ extras }) {
  const { rows, setRows } = extras;
  const set = (i, part, text) => setRows(rows.map((row, j) => (i === j ? row.with(part, text) : row)));
  return html`<${Note} extras=${extras}>${rows.map(
    ([name, value], i) => html`<div class="row">
      <label>${t('field_name')}<input name="field_name" maxlength="64" value=${name} onKeyDown=${still}
        onInput=${(e) => set(i, 0, e.target.value)} /></label>
      <label class="grow">${t('field_value')}<input name="field_value" maxlength="200" value=${value} onKeyDown=${still}
        onInput=${(e) => set(i, 1, e.target.value)} /></label>
      <button type="button" class="quiet" onClick=${() => setRows(rows.filter((_, j) => i !== j))}>
        ${t('remove')}</button>
    </div>`,
  )}
    ${
      rows.length < mostFields &&
      html`<button type="button" id="add-field" class="quiet"
      onClick=${() => setRows([...rows, ['', '']])}>${t('field_add')}</button>`
    }<//>`;
}

// Said shows what a buyer told the shop with an order.
export function Said({ order }) {
  const rows = [...(order.remark ? [[t('remark'), order.remark]] : []), ...Object.entries(order.fields ?? {})];
  if (rows.length === 0) return null;
  return html`<dl class="said">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
