// QR codes. What makes them is loaded with the first one: few buyers see any.
import { html, useEffect, useMemo, useState } from '../vendor/preact-htm.js';

const retry = 2000; // ms after it could not be loaded
let qrcode; // once it is loaded

// useLoaded loads what makes codes, until it is there.
function useLoaded() {
  const [loaded, set] = useState(Boolean(qrcode));
  useEffect(() => {
    let timer;
    let ended = false;
    const load = async () => {
      try {
        ({ default: qrcode } = await import('../vendor/qrcode.js'));
        if (!ended) set(true);
      } catch {
        if (!ended) timer = setTimeout(load, retry);
      }
    };
    if (!qrcode) load();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, []);
  return loaded;
}

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
  const loaded = useLoaded();
  const { size, d } = useMemo(() => (loaded ? draw(text) : { size: 1, d: '' }), [text, loaded]);
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${text}><path d=${d} /></svg>`;
}

/**
 * saveQR saves the QR code of a text, which is shown, as a picture.
 *
 * @param {string} text
 */
export function saveQR(text) {
  if (!qrcode) return;
  const { size, d } = draw(text);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size * 12;
  const paper = canvas.getContext('2d');
  paper.scale(12, 12);
  paper.fillStyle = '#fff';
  paper.fillRect(0, 0, size, size);
  paper.fillStyle = '#000';
  paper.fill(new Path2D(d));
  const link = document.createElement('a');
  link.href = canvas.toDataURL('image/png');
  link.download = 'code.png';
  link.click();
}
