// The design page: every part of the pages in every state. Programs for development serve it at /dev/design.
import '../shared/style.css';
import '../console/console.css';
import '../shop/shop.css';
import './design.css';
import { html, render } from '../vendor/preact-htm.js';
import { addTexts } from '../shared/texts.js';
import consoleEn from '../console/text_en.js';
import consoleZh from '../console/text_zh.js';
import viewsEn from '../console/text_views_en.js';
import viewsZh from '../console/text_views_zh.js';
import shopEn from '../shop/text_en.js';
import shopZh from '../shop/text_zh.js';
import toldEn from '../shared/told_en.js';
import toldZh from '../shared/told_zh.js';
import en from './text_en.js';
import zh from './text_zh.js';
import { App } from './app.js';

addTexts({ en: consoleEn, zh: consoleZh });
addTexts({ en: viewsEn, zh: viewsZh });
addTexts({ en: shopEn, zh: shopZh });
addTexts({ en: toldEn, zh: toldZh });
addTexts({ en, zh });
render(html`<${App} />`, document.getElementById('app'));
