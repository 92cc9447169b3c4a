// The title of the page: what is shown, and before it how many things need the reader.
let shown = '';
let count = 0;

function draw() {
  document.title = `${count > 0 ? `(${count}) ` : ''}${shown} · Onrush`;
}

export function entitle(text) {
  shown = text;
  draw();
}

export function countInTitle(n) {
  count = n;
  draw();
}
