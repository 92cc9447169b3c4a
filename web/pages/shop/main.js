// The shop: a client of the public interface and nothing else.
import '../shared/style.css';
import './shop.css';
import { html, render } from '../vendor/preact-htm.js';
import { addTexts } from '../shared/texts.js';
import en from './text_en.js';
import zh from './text_zh.js';
import toldEn from '../shared/told_en.js';
import toldZh from '../shared/told_zh.js';
import { App } from './app.js';
import { note } from './source.js';
import { followTabs } from './line.js';

note();
addEventListener('hashchange', note);
addTexts({ en, zh });
addTexts({ en: toldEn, zh: toldZh }); // of problems; the console has them, too
followTabs();
render(html`<${App} />`, document.getElementById('app'));
