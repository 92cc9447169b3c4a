// The console: a client of the operators' interface and nothing else.
import '../shared/style.css';
import './console.css';
import '../vendor/uplot.css';
import { html, render } from '../vendor/preact-htm.js';
import { addTexts } from '../shared/texts.js';
import en from './text_en.js';
import zh from './text_zh.js';
import { App } from './app.js';

addTexts({ en, zh });
render(html`<${App} />`, document.getElementById('app'));
