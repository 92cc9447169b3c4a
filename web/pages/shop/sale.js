// One sale.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { Description } from '../shared/description.js';
import { clock, duration, number, t } from '../shared/texts.js';
import { call, know, state, useEvery, useTick } from '../shared/server.js';
import { phrased } from '../shared/phrases.js';
import { Loading, Problem } from '../shared/parts.js';
import { copy } from '../shared/copy.js';
import { settings } from '../shared/settings.js';
import { isEnded, isHeld, isSoldOut, LowestPrice, pictureOf, StateBadge } from '../shared/sale_card.js';
import { msUntil } from '../shared/sale_figures.js';
import { inWords } from './demo_words.js';
import { Drawn } from './draw.js';
import { Eligible } from './eligible.js';
import { Gallery } from './gallery.js';
import { Later } from './later.js';
import { shared } from './source.js';
import { Purchase } from './purchase.js';
import { Offer, isDraw, offerIn, useWishes } from './wishes.js';

export function Sale({ id, query }) {
  const {
    value: sale,
    error,
    reload,
  } = useEvery(2000, async () => {
    const read = await call('GET', `/activities/${encodeURIComponent(id)}`);
    know(read.server_time);
    return inWords(read);
  });
  useTick();
  if (!sale) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  return html`<${Page} sale=${sale} query=${query} />`;
}

function Page({ sale, query }) {
  const [chosen, choose] = useState(); // the picture of the goods that the buyer chose
  const wishes = useWishes(sale);
  const offer = offerIn(wishes.entries);
  const shown = pictureOf(sale);
  const pictures = [sale.image_url, ...(sale.images ?? [])].filter(Boolean);
  const over = isEnded(sale);
  const several = sale.skus.length > 1;
  const gone = isSoldOut(sale) && !offer;
  const entered = isEntered(sale, wishes.entries);
  const bare = pictures.length === 0 && !shown.url;
  const kinds = { past: over, gone, held: isHeld(sale), several, bare };
  return html`<article class="sale-page ${Object.keys(kinds)
    .filter((kind) => kinds[kind])
    .join(' ')}">
    <${Gallery} urls=${pictures} ...${shown} chosen=${chosen} />
    <div class="about">
      <h1>${phrased(sale.title)}</h1>
      <${LowestPrice} sale=${sale} />
      ${
        offer
          ? html`<${Offer} sale=${sale} offer=${offer} />`
          : html`<p class="row states">${isDraw(sale) && html`<span class="badge draw">${t('draw')}</span>`}
        <${Badge} sale=${sale} entries=${wishes.entries} />
        ${sale.waiting_room && !over && html`<span class="badge">${t('waiting_room')}</span>`}
        ${!over && !gone && !entered && html`<${When} sale=${sale} />`}</p>`
      }
      ${isDraw(sale) && html`<${Drawn} sale=${sale} wishes=${wishes} />`}
      ${sale.description && html`<${Folded} text=${sale.description} />`}
      ${!over && html`<${Eligible} sale=${sale} />`}
      <${Purchase} sale=${sale} query=${query} wishes=${wishes} offer=${offer}
        chosen=${(sku) => choose(sku.image_url)} />
      ${!over && html`<${Tags} sale=${sale} /><${Share} sale=${sale} />`}
    </div>
    ${
      settings.dev_tokens &&
      html`<${Later} name="Crowd" silent activity=${sale.activity_id} sells=${sells(sale)} inMenu />`
    }</article>`;
}

// Folded shows a description, or its first lines where the goods below it need the room, and the rest when asked: at
// once where that is a line.
function Folded({ text }) {
  const box = useRef();
  const [cut, tell] = useState(false);
  const [whole, show] = useState(false);
  useEffect(() => {
    const watch = new ResizeObserver(([{ target }]) => {
      const hidden = target.scrollHeight - target.clientHeight;
      tell(hidden > 1);
      if (hidden > 1 && hidden < 1.5 * parseFloat(getComputedStyle(target).lineHeight)) show(true);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return html`<div class="folded"><div class=${whole ? '' : 'shut'} ref=${box}><${Description} text=${text} /></div>
    ${
      cut && !whole && html`<button type="button" class="link" onClick=${() => show(true)}>${t('read_more')}</button>`
    }</div>`;
}

// isEntered reports whether the buyer takes part in a draw that is still to come.
const isEntered = (sale, entries) => sale.state === 'upcoming' && entries.some((entry) => entry.state === 'entered');

// Badge says the state of a sale. Who has entered a draw has no hurry any more, and who is on its reserve list may
// still get a unit.
function Badge({ sale, entries }) {
  const reserve = isDraw(sale) && !isEnded(sale) && entries.find((entry) => entry.state === 'waiting');
  if (reserve) return html`<span class="badge">${t('draw_reserve', { rank: number(reserve.rank) })}</span>`;
  if (!isEntered(sale, entries)) return html`<${StateBadge} sale=${sale} />`;
  return html`<span class="badge">${t('draw_in', { time: duration(msUntil(sale.starts_at)) })}</span>`;
}

// When says when a sale begins and ends, or how buyers are drawn and until when they buy.
function When({ sale: { state: phase, mode, starts_at: starts, ends_at: ends } }) {
  const drawn = phase === 'upcoming' && mode === 'draw';
  const said = drawn ? 'sale_drawn' : phase === 'upcoming' ? 'sale_from' : 'sale_until';
  return html`<span class="when ${drawn ? 'drawn' : 'muted'}">${t(said, {
    starts: clock(starts),
    ends: clock(ends),
  })}</span>`;
}

// Tags are the rules of a sale, in a few words each.
function Tags({ sale }) {
  return html`<p class="tags">
    ${sale.purchase_limit > 0 && html`<span>${t('sale_limit', { limit: sale.purchase_limit })}</span>`}
    ${sale.human_check !== 'none' && html`<span>${t('human_check')}</span>`}
    ${sale.segments && html`<span>${t('for_segments')}</span>`}</p>`;
}

// sells reports whether a sale takes orders now.
const sells = (sale) => sale.state === 'running' && !sale.paused && !isEnded(sale) && !isSoldOut(sale);

// Share copies a link to the sale, or shows it where it can't be copied.
function Share({ sale }) {
  const [copied, say] = useState();
  const link = shared(sale.activity_id, state.user);
  return html`<p class="row"><button type="button" id="share" class="quiet" data-link=${link}
    onClick=${async () => say(await copy(link))}>${t('share')}</button>
    <span class="muted share" aria-live="polite">${copied && t('share_copied')}${
      copied === false && `${t('copy_failed')} ${link}`
    }</span></p>`;
}
