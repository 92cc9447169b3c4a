// QR codes.
import { html, useMemo } from '../vendor/preact-htm.js';
import qrcode from '../vendor/qrcode.js';

// draw returns the path of a text's code, and its size with a margin of 4.
function draw(text) {
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

// QR draws a text as a QR code.
export function QR({ text }) {
  const { size, d } = useMemo(() => draw(text), [text]);
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${text}><path d=${d} /></svg>`;
}
