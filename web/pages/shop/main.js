// The shop: a client of the public interface and nothing else.
import { html, render } from './preact-htm.js';
import { App } from './app.js';

render(html`<${App} />`, document.getElementById('app'));
