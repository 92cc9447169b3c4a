// How a draw was made: what was promised before, what is known since, and what this browser finds when it checks that.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { addTexts, clock, number, t } from '../shared/texts.js';
import { call, know, server, signedIn, useEvery } from '../shared/server.js';
import { ownPath } from '../shared/settings.js';
import { grouped } from '../shared/grouped.js';
import { Loading, Problem } from '../shared/parts.js';
import { phrased } from '../shared/phrases.js';
import { inWords } from './demo_words.js';
import { canCheck, isInOrder, isPromised, passed } from './draw_check.js';
import { readAll } from './lists.js';
import { addressOf } from './sales.js';
import { Sign } from './sign.js';
import en from './text_draw_en.js';
import zh from './text_draw_zh.js';

const every = 5000; // ms between two looks

addTexts({ en, zh }); // few buyers come here, so they are loaded with this view

const pathOf = (id, part) => `/seckill/draws/${encodeURIComponent(id)}/${part}`;

export function DrawPage({ id }) {
  const { value, error, reload } = useEvery(every, async () => {
    const [sale, draw] = await Promise.all([
      call('GET', `/activities/${encodeURIComponent(id)}`),
      call('GET', pathOf(id, 'result')),
    ]);
    know(sale.server_time);
    return { sale: inWords(sale), draw };
  });
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  return html`<${Page} ...${value} />`;
}

// useChecks checks a draw whose seed is shown, once its entries are read: whether the seed is the promised one, and of
// each sku what checkOf returns.
function useChecks(sale, draw) {
  const [state, set] = useState({});
  const [turn, again] = useState(0);
  const able = canCheck();
  useEffect(() => {
    if (!draw.seed || !able) return;
    set({});
    const own = signedIn() ? server.entries({ activity: sale.activity_id }).catch(() => []) : [];
    Promise.all([isPromised(draw), ...sale.skus.map((sku) => checkOf(sale, sku, draw.seed, own))]).then(
      ([promised, ...skus]) => set({ promised, skus }),
      (error) => set({ error }),
    );
  }, [draw.seed, turn]);
  return { ...state, able, retry: () => again((n) => n + 1) };
}

// checkOf returns what was found of the entries for a sku: how many they are, and whether all, whether their order
// follows from the seed, how many were passed, and the place of the buyer's own one, 0 if it is missing.
async function checkOf(sale, sku, seed, own) {
  const read = () => readAll(pathOf(sale.activity_id, 'lots'), { sku_id: sku.sku_id });
  let { items, whole } = await read();
  if (passed(items).length > 0) ({ items, whole } = await read()); // more was offered from one page to the next
  const mine = (await own).find((entry) => entry.sku_id === sku.sku_id);
  return {
    sku,
    count: items.length,
    whole,
    ordered: await isInOrder(seed, items),
    passed: passed(items).length,
    mine: mine && (items.find(({ entry_id: id }) => id === mine.entry_id)?.rank ?? 0),
  };
}

// isRight reports whether nothing was found wrong with the entries of a sku.
const isRight = ({ ordered, passed: skipped, whole, mine }) => ordered && skipped === 0 && !(whole && mine === 0);

// foundOf names what the checks have found so far, and its sign.
function foundOf({ seed }, { able, error, promised, skus }) {
  if (!seed) return ['due', 'proof_later'];
  if (!able) return ['due', 'proof_unable'];
  if (error) return ['wrong', 'proof_unread'];
  if (!skus) return ['runs', 'proof_runs'];
  return promised && skus.every(isRight) ? ['done', 'proof_right'] : ['wrong', 'proof_wrong'];
}

function Page({ sale, draw }) {
  const checks = useChecks(sale, draw);
  const [sign, found] = foundOf(draw, checks);
  const code = (text) => html`<p><code class="grouped">${grouped(text)}</code></p>`;
  const close = draw.closed_at ?? sale.starts_at;
  return html`<article class="card order proof">
    <${Sign} of=${sign} />
    <h1 class="outcome">${phrased(t('proof_title'))}</h1>
    <p class="muted">${sale.title}</p>
    <p role="status"><b>${t(found)}</b></p>
    <${Problem} error=${checks.error} retry=${checks.retry} />
    <ol>
      <li><h2>${t('proof_hash')}</h2><p>${t('proof_hash_help')}</p>${code(draw.seed_hash)}</li>
      <li><h2>${t('proof_entries', { entries: number(draw.entries) })}</h2>
        <p>${t(draw.closed_at ? 'proof_closed' : 'proof_open', { at: clock(close) })}</p></li>
      <li><h2>${t('proof_seed')}</h2><p>${t(draw.seed ? 'proof_seed_help' : 'proof_seed_later')}</p>
        ${draw.seed && code(draw.seed)}
        ${checks.skus && html`<${Check} ok=${checks.promised} text=${t('proof_seed_ok')} bad=${t('proof_seed_bad')} />`}
        </li>
      <li><h2>${t('proof_order')}</h2><p>${t('proof_order_help')}</p>
        ${checks.skus?.map((each) => html`<${Entries} key=${each.sku.sku_id} of=${each} />`)}</li></ol>
    <details class="extras"><summary>${t('proof_data')}</summary><ul>
      <li><a href=${ownPath(`/api/v1${pathOf(sale.activity_id, 'result')}`)} target="_blank">${t('proof_json')}</a></li>
      ${sale.skus.map(
        ({ sku_id: id, title }) => html`<li><a target="_blank"
          href=${ownPath(`/api/v1${pathOf(sale.activity_id, 'lots')}?sku_id=${encodeURIComponent(id)}&page_size=100`)}>
          ${t('proof_json_of', { title })}</a></li>`,
      )}</ul></details>
    <p class="row actions"><a class="button quiet" href=${addressOf(sale.activity_id)}>${t('buy_again')}</a></p>
  </article>`;
}

// Entries says what was found of the entries of a sku.
function Entries({ of: { sku, count, whole, ordered, passed: skipped, mine } }) {
  const values = { title: sku.title, count: number(count), n: number(skipped), rank: number(mine ?? 0) };
  const lost = whole && mine === 0;
  return html`<p><b>${sku.title}</b></p>
    <${Check} ok=${ordered} text=${t(whole ? 'proof_order_ok' : 'proof_order_part', values)}
      bad=${t('proof_order_bad', values)} />
    <${Check} ok=${skipped === 0} text=${t('proof_passed_ok')} bad=${t('proof_passed_bad', values)} />
    ${
      (mine > 0 || lost) && html`<${Check} ok=${!lost} text=${t('proof_mine', values)} bad=${t('proof_mine_lost')} />`
    }`;
}

// Check says that something is right, or bad.
function Check({ ok, text, bad }) {
  return html`<p class="check ${ok ? 'good' : 'bad'}"><span aria-hidden="true">${ok ? '✓' : '✕'}</span>
    <span>${ok ? text : bad}</span></p>`;
}
