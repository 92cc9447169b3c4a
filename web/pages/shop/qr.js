// QR codes, drawn by a module that is loaded when the first one is needed.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { useLoad } from '../shared/server.js';
import { Problem } from '../shared/parts.js';

let tries = 0; // a browser may remember that a module could not be loaded

const load = () => (tries++ === 0 ? import('../vendor/qrcode.js') : import(`../vendor/qrcode.js?${tries}`));

// draw returns the path of a text's code, and its size with a margin of 4.
async function draw(text) {
  const { default: qrcode } = await load();
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  let d = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (code.isDark(y, x)) d += `M${x + 4} ${y + 4}h1v1h-1z`;
    }
  }
  return { size: size + 8, d };
}

// QR draws a text as a QR code. Its key is the text: another text has another code.
export function QR({ text }) {
  const { value, error, reload } = useLoad(() => draw(text));
  if (error) return html`<${Problem} error=${{ code: '', message: t('qr_failed') }} retry=${reload} />`;
  const { size, d } = value ?? { size: 0, d: '' };
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${text}><path d=${d} /></svg>`;
}
