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
  const place = useRef({ at: 0, width: 0 }); // the picture that is shown, and how wide the strip was then
  const [at, set] = useState(0);
  const several = urls.length > 1;
  const show = (i, behavior) => strip.current?.scrollTo({ left: i * strip.current.clientWidth, behavior });
  useEffect(() => {
    if (urls.includes(chosen)) show(urls.indexOf(chosen));
  }, [chosen]);
  useEffect(() => {
    if (!several) return undefined;
    const watch = new ResizeObserver(([{ target }]) => {
      if (place.current.width) show(place.current.at, 'instant'); // the device was turned
      place.current.width = target.clientWidth;
    });
    watch.observe(strip.current);
    return () => watch.disconnect();
  }, [several]);
  if (!several) return html`<div class="pictures"><${Picture} url=${urls[0] ?? url} title=${title} /></div>`;
  const scrolled = ({ currentTarget: { scrollLeft, clientWidth } }) => {
    if (clientWidth !== place.current.width) return; // the strip was turned, and is not back at its picture
    place.current.at = Math.round(scrollLeft / clientWidth);
    set(place.current.at);
  };
  const named = (i) => t('picture', { n: i + 1, of: urls.length });
  return html`<div class="pictures">
    <div class="strip" ref=${strip} role="group" aria-label=${t('pictures')} tabindex="0" onScroll=${scrolled}>
      ${urls.map((each, i) => html`<${Picture} key=${i} url=${each} title=${title} alt=${named(i)} />`)}</div>
    <div class="thumbs">${urls.map(
      (each, i) => html`<button type="button" key=${i} aria-label=${named(i)} aria-pressed=${i === at}
        onClick=${() => show(i)}><${Picture} url=${each} title=${title} /></button>`,
    )}</div></div>`;
}
