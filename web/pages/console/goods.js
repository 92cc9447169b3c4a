// The goods: skus with their prices, freight and ordinary stock.
import { html, useState } from '../vendor/preact-htm.js';
import { Description, mayBeMarkdown } from '../shared/description.js';
import { money, number, t } from '../shared/texts.js';
import { call, useLoad } from '../shared/server.js';
import { Picture } from '../shared/parts.js';
import { idInput } from '../shared/ids.js';
import { codesText, ImportCodes, WithdrawCodes } from './codes.js';
import { Menu } from './menu.js';
import { Action, Filters, List, readAll, save, toMajor, toMinor, useOne, usePages } from './parts.js';
import { may, ownShop } from './me.js';
import { Upload } from './upload.js';
import { deltaOf, stockAfter, stockFields } from './stock.js';

const kinds = () => ['physical', 'virtual', 'voucher'].map((kind) => [kind, t(`kind_${kind}`)]);
const path = (id) => `/skus/${encodeURIComponent(id)}`;

// fieldsOf are the fields of a sku, or of a new one.
function fieldsOf(sku) {
  const amount = (n) => (sku ? toMajor(n, sku.currency) : '');
  return [
    ...(sku ? [] : [{ name: 'sku_id', label: t('sku_id'), required: true, ...idInput }]),
    { name: 'title', label: t('title'), required: true, maxlength: 200, initial: sku?.title },
    { name: 'image_url', label: t('image_url'), maxlength: 500, initial: sku?.image_url, below: Upload },
    {
      name: 'description',
      label: t('description'),
      help: t('description_help'),
      type: 'textarea',
      maxlength: 2000,
      initial: sku?.description,
    },
    ...(ownShop() ? [] : [{ name: 'shop_id', label: t('shop_id'), required: true, ...idInput, initial: sku?.shop_id }]),
    { name: 'kind', label: t('kind'), options: kinds(), initial: sku?.kind },
    { name: 'currency', label: t('currency'), required: true, pattern: '[A-Z]{3}', initial: sku?.currency ?? 'CNY' },
    { name: 'price', label: t('list_price'), type: 'number', min: 0, required: true, initial: amount(sku?.price) },
    { name: 'fee', of: 'freight.fee', label: t('freight'), type: 'number', min: 0, initial: amount(sku?.freight.fee) },
    {
      name: 'free_over',
      of: 'freight.free_over',
      label: t('free_over'),
      help: t('free_over_help'),
      type: 'number',
      min: 0,
      initial: amount(sku?.freight.free_over),
    },
    {
      name: 'required_fields',
      label: t('required_fields'),
      help: t('required_fields_help'),
      type: 'textarea',
      maxlength: 1500,
      initial: sku?.required_fields?.join('\n'),
    },
    ...(sku ? [] : [{ name: 'stock', label: t('ordinary_stock'), type: 'number', min: 0, initial: 0 }]),
  ];
}

const put = (sku) => (v, _, version) =>
  save(
    sku,
    path(sku?.sku_id ?? v.sku_id),
    {
      body: {
        title: v.title,
        description: v.description,
        shop_id: v.shop_id ?? ownShop(),
        kind: v.kind,
        currency: v.currency,
        image_url: v.image_url,
        required_fields: v.required_fields
          .split('\n')
          .map((name) => name.trim())
          .filter(Boolean),
        price: toMinor(v.price, v.currency),
        freight: { fee: toMinor(v.fee, v.currency) ?? 0, free_over: toMinor(v.free_over, v.currency) ?? 0 },
        ...(v.stock && { stock: Number(v.stock) }),
      },
    },
    version,
  );

// shown is the description as buyers see it, where it may be more than its text.
const shown = ({ description: text = '' }) => mayBeMarkdown(text) && html`<${Description} text=${text} />`;

export function Goods({ query }) {
  const found = new URLSearchParams(query).get('sku_id');
  return found ? html`<${Found} id=${found} />` : html`<${All} />`;
}

function Found({ id }) {
  return html`<${Skus} list=${useOne(path(id))}><p><a href="#/goods">${t('all_goods')}</a></p><//>`;
}

// useTitled are the goods that have a text in their title or id, once there is one. The server doesn't search them.
function useTitled(text, filters) {
  const load = async () => (text ? readAll('/skus', filters) : undefined);
  const { value, error, reload } = useLoad(load, [Boolean(text), filters.shop_id]);
  const has = (name) => name.toLowerCase().includes(text.toLowerCase());
  const items = (value ?? []).filter((sku) => has(sku.title) || has(sku.sku_id));
  return { items, read: Boolean(value || error), error, reload };
}

function All() {
  const [{ q, ...filters }, setFilters] = useState({ q: '', shop_id: '' });
  const pages = usePages('/skus', filters);
  const found = useTitled(q, filters);
  const fields = [
    { name: 'q', type: 'search', label: t('sales_search'), maxlength: 128 },
    ...(ownShop() ? [] : [{ name: 'shop_id', label: t('shop_id'), maxlength: idInput.maxlength }]),
  ];
  return html`<${Skus} list=${q ? found : pages} empty=${t(q ? 'goods_not_found' : 'goods_none')}>
    <${Filters} values=${{ q, ...filters }} change=${setFilters} fields=${fields} /><//>`;
}

// usePools are the imported voucher codes of all goods, as far as the reader may see them.
function usePools() {
  const { value = [], reload } = useLoad(async () => (may('GET /vouchers') ? readAll('/vouchers') : []));
  return { of: ({ sku_id: id }) => value.find((pool) => pool.sku_id === id), reload };
}

// CodesLeft says how many codes of a voucher no buyer has, and how many are owed to buyers who have paid.
function CodesLeft({ pool }) {
  if (!pool) return null;
  const kind = pool.left > 0 ? 'muted' : 'warn';
  return html`<p class="${kind} codes">${t('codes_left', { left: number(pool.left) })}</p>
    ${pool.waiting > 0 && html`<p class="bad">${t('codes_owed', { n: number(pool.waiting) })}</p>`}`;
}

/** @param {any} props */
function Skus({ list, empty = t('goods_none'), children }) {
  const [codes, setCodes] = useState();
  const pools = usePools();
  const counted = (done) => {
    setCodes(done);
    pools.reload();
  };
  const columns = [
    [
      html`<span class="hidden">${t('image_url')}</span>`,
      (sku) => html`<span class="thumb">
      <${Picture} url=${sku.image_url} title=${sku.title} /></span>`,
      'thumbnail',
    ],
    [t('title'), (sku) => html`<b>${sku.title}</b><p class="muted"><code>${sku.sku_id}</code></p>`, 'lead wide'],
    ...(ownShop() ? [] : [[t('shop'), (sku) => sku.shop_id, 'named']]),
    [t('kind'), (sku) => t(`kind_${sku.kind}`)],
    [t('list_price'), (sku) => money(sku.price, sku.currency), 'number named'],
    [t('freight'), (sku) => money(sku.freight.fee, sku.currency), 'number named'],
    [t('ordinary_stock'), (sku) => html`${number(sku.stock)}<${CodesLeft} pool=${pools.of(sku)} />`, 'number named'],
    [
      '',
      (sku) => html`<div class="row actions many">
      <${Action} route="PUT /skus/{sku_id}"
        label=${t('edit')} title=${t('edit_title', { name: sku.title })} button=${t('save')} fields=${fieldsOf(sku)}
        run=${put(sku)} then=${list.reload} preview=${shown} done=${savedText} />
      <${Stock} sku=${sku} then=${list.reload} />
      ${sku.kind === 'voucher' && html`<${ImportCodes} sku=${sku} then=${counted} />`}
      ${may('DELETE /skus/{sku_id}') && html`<${Rare} sku=${sku} counted=${counted} then=${list.reload} />`}</div>`,
      'tools',
    ],
  ];
  return html`<div class="row heading"><h1>${t('menu_goods')}</h1>
      <${Action} route="PUT /skus/{sku_id}"
        label=${t('new_sku')} title=${t('new_sku')} button=${t('save')} kind="go" fields=${fieldsOf()} run=${put()}
        then=${list.reload} preview=${shown} done=${savedText} /></div>
    ${children}
    <p role="status" id="codes" class=${codes ? 'notice' : ''}>${codes && codesText(codes)}</p>
    <${List} list=${list} name=${t('menu_goods')} columns=${columns} empty=${empty}
      keyOf=${(sku) => sku.sku_id} />`;
}

const savedText = (sku) => t('done_saved', { name: sku.title });

// Rare is what is seldom done with a sku.
function Rare({ sku, counted, then }) {
  return html`<${Menu}>${sku.kind === 'voucher' && html`<${WithdrawCodes} sku=${sku} then=${counted} />`}
    <${Action} route="DELETE /skus/{sku_id}" label=${t('delete')} title=${t('delete_title', { name: sku.title })}
      kind="danger" help=${t('delete_sku_help')} done=${t('done_deleted', { name: sku.title })}
      run=${(_, key, version = sku.version) => call('DELETE', path(sku.sku_id), { version })} then=${then} /><//>`;
}

// Stock changes the ordinary stock of a sku: by adding or taking some, or to what was counted.
function Stock({ sku, then }) {
  const at = `${path(sku.sku_id)}/stock`;
  const said = (v, key) =>
    t(key, { sku: sku.title, before: number(sku.stock), after: number(stockAfter(sku.stock, v)) });
  const add = (delta, key) => call('POST', at, { key, body: { delta } });
  const run = (v, key, version = sku.stock_version) =>
    v.how === 'set' ? call('PUT', at, { version, body: { stock: Number(v.units) } }) : add(deltaOf(v), key);
  // A stock was set from the number that is shown; added or taken away it was from whatever there was.
  const undo = (_, v) => {
    const back = v.how === 'set' ? sku.stock - Number(v.units) : -deltaOf(v);
    return back !== 0 && ((key) => add(back, key));
  };
  return html`<${Action} route="POST /skus/{sku_id}/stock" label=${t('change_stock')} title=${t('change_stock')}
    id="stock-${sku.sku_id}" fields=${stockFields(t('set_stock_help'))} run=${run} then=${then}
    preview=${(v) => said(v, 'goods_stock_preview')} done=${(_, v) => said(v, 'done_goods_stock')}
    undo=${undo} />`;
}
