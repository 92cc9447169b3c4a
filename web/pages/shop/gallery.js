// The pictures of a sale: a strip that a finger, a wheel or the arrow keys move by one, and a button for each of them.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Picture } from '../shared/parts.js';

/**
 * Gallery shows the pictures at urls, and moves to the one that is chosen. Where there are none, it shows that at url,
 * or on a desk the first letter of the title.
 *
 * @param {{ urls: string[], url?: string, title: string, chosen?: string }} props title is what the pictures show
 */
export function Gallery({ urls, url, title, chosen }) {
  const strip = useRef();
  const [at, set] = useState(0);
  const show = (i) => strip.current?.scrollTo({ left: i * strip.current.clientWidth });
  useEffect(() => {
    if (urls.includes(chosen)) show(urls.indexOf(chosen));
  }, [chosen]);
  if (urls.length < 2) return html`<div class="pictures"><${Picture} url=${urls[0] ?? url} title=${title} /></div>`;
  const scrolled = ({ currentTarget: { scrollLeft, clientWidth } }) => set(Math.round(scrollLeft / clientWidth));
  const named = (i) => t('picture', { n: i + 1, of: urls.length });
  return html`<div class="pictures">
    <div class="strip" ref=${strip} role="group" aria-label=${t('pictures')} tabindex="0" onScroll=${scrolled}>
      ${urls.map((each, i) => html`<${Picture} key=${i} url=${each} title=${title} alt=${named(i)} />`)}</div>
    <div class="thumbs">${urls.map(
      (each, i) => html`<button type="button" key=${i} aria-label=${named(i)} aria-pressed=${i === at}
        onClick=${() => show(i)}><${Picture} url=${each} title=${title} /></button>`,
    )}</div></div>`;
}
