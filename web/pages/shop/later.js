// Parts that are not loaded with the shop, but when they are drawn.
import { html } from '../vendor/preact-htm.js';
import { useLoad } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';

/**
 * Later draws the part of seldom.js that has a name. With silent, nothing is shown until that is loaded.
 *
 * @param {{ name: string, silent?: boolean, [prop: string]: any }} props
 */
export function Later({ name, silent = false, ...props }) {
  const load = () => import('./seldom.js').catch(() => Promise.reject({ code: 'unreachable' }));
  const { value, error, reload } = useLoad(load);
  if (value) return html`<${value[name]} ...${props} />`;
  if (silent) return null;
  return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
}
