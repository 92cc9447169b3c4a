// QR codes, drawn by a module that is loaded when the first one is needed.
import { html, useEffect, useState } from '../vendor/preact-htm.js';

// QR draws a text as a QR code.
export function QR({ text }) {
  const [path, setPath] = useState({ size: 0, d: '' });
  useEffect(() => {
    import('../vendor/qrcode.js').then(({ default: qrcode }) => {
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
      setPath({ size: size + 8, d });
    });
  }, [text]);
  return html`<svg class="qr" viewBox="0 0 ${path.size} ${path.size}" role="img" aria-label=${text}>
    <path d=${path.d} /></svg>`;
}
