// A crowd of buyers in a sale, on programs for development: begins one, and shows live what becomes of it.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { buyers, propose } from './crowd_offer.js';
import { ownPath } from './settings.js';
import en from './text_crowd_en.js';
import zh from './text_crowd_zh.js';
import { addTexts, has, number, t } from './texts.js';
import { Problem } from './parts.js';
import { watched } from './server.js';

const every = 300; // ms between two looks

addTexts({ en, zh }); // the console loads them with its other views

// ask calls GET or POST /dev/crowd, which are beside the interface of buyers.
async function ask(body) {
  const options = body && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await watched(ownPath('/dev/crowd'), options || {}).catch(() => {
    throw { code: 'unreachable' };
  });
  const data = await answer.json();
  if (!answer.ok) throw data;
  return data;
}

// useCrowd follows the crowd of a sale.
function useCrowd(activity) {
  const [crowd, set] = useState();
  const [error, fail] = useState();
  const [said, say] = useState('');
  const [turn, look] = useState(0);
  const sending = useRef(false);
  const running = Boolean(crowd?.running);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(
      () =>
        ask().then(
          (now) => {
            if (!current) return;
            if (now.activity_id !== activity || !now.buyers) {
              set(undefined);
              return;
            }
            set(now);
            if (now.running) fail(); // another page sent this crowd
            if (running && !now.running) {
              say(
                t('crowd_ended', {
                  ordered: number(now.ordered),
                  refused: number(now.refused),
                  drift: number(now.drift),
                }),
              );
            }
            look((n) => n + (now.running ? 1 : 0));
          },
          () => current && look((n) => n + (running ? 1 : 0)),
        ),
      running ? every : 0,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [activity, turn]);
  const send = async () => {
    if (sending.current) return;
    sending.current = true;
    fail();
    try {
      const now = await ask({ activity_id: activity, buyers });
      set(now);
      say(t('crowd_begun', { count: number(now.buyers) }));
    } catch (refused) {
      fail(refused);
    }
    sending.current = false;
    look((n) => n + 1);
  };
  return { crowd, error, said, running, send };
}

// Crowd is a section about the sale with the id activity. Where the sale doesn't sell, it shows what became of the last
// crowd, or nothing. With inMenu the demo's menu has the button, so that there is no section before a crowd was sent.
export function Crowd({ activity, sells = true, inMenu = false }) {
  const { crowd, error, said, running, send } = useCrowd(activity);
  const section = useRef();
  const [sent, mark] = useState(false);
  const shown = crowd || error || (sells && !inMenu);
  const fromMenu = () => {
    mark(true);
    send();
  };
  useEffect(() => {
    propose(inMenu && sells && !running ? fromMenu : undefined);
    return () => propose();
  });
  useEffect(() => {
    if (sent && shown) section.current.scrollIntoView({ block: 'nearest' });
  }, [sent, Boolean(shown)]);
  if (!shown) return null;
  const count = number(buyers);
  const again = t(crowd ? 'crowd_again' : 'crowd_send', { count });
  const label = running ? t('crowd_running', { count: number(crowd.buyers) }) : again;
  return html`<section class="crowd card" ref=${section} aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t('crowd_demo')}</span>
        <h2 id="crowd-title">${t('crowd_title', { count })}</h2>
        <p class="muted">${t('crowd_help')}</p></div>
      <button id=${inMenu ? 'send-more' : 'send-crowd'} class="large" disabled=${running || !sells}
        aria-describedby=${sells ? undefined : 'crowd-closed'} onClick=${send}>${label}</button></div>
    ${!sells && html`<p class="muted closed" id="crowd-closed">${t('crowd_closed')}</p>`}
    ${
      error?.code === 'conflict'
        ? html`<p class="problem" role="alert">${t('crowd_busy')}</p>`
        : html`<${Problem} error=${error} />`
    }
    ${crowd && html`<${Outcome} crowd=${crowd} />`}
    <p class="hidden" role="status">${said}</p>
  </section>`;
}

function Outcome({ crowd }) {
  const parts = [
    ['bought', crowd.ordered],
    ['refused', crowd.refused],
    ['waiting', crowd.waiting],
  ];
  const seconds = Math.max(crowd.elapsed_ms, 1) / 1000;
  const sold = crowd.units_before - crowd.units_left;
  const known = crowd.ok !== undefined;
  const exact = !crowd.running && sold === crowd.ordered;
  const sums = { sold: number(sold), total: number(crowd.units_before) };
  const toneOfDrift = crowd.drift === 0 ? 'good' : 'bad';
  const fact = (name, value, tone = '') => html`<div class="fact ${name} ${tone}"><dt>${t(`crowd_${name}`)}</dt>
    <dd>${value}${tone === 'good' && html`<span aria-hidden="true">\u00a0✓</span>`}</dd></div>`;
  return html`<div class="outcome ${crowd.running ? 'running' : 'over'}">
    <div class="crowd-bar" aria-hidden="true">${parts.map(
      ([name, n]) => html`
      <span class=${name} style=${{ width: `${(100 * n) / crowd.buyers}%` }}></span>`,
    )}</div>
    <dl class="crowd-numbers">${parts.map(
      ([name, n]) => html`<div class=${name}>
      <dt>${t(`crowd_${name}`)}</dt><dd>${number(n)}</dd></div>`,
    )}</dl>
    <dl class="crowd-facts">
      ${fact('sold', t('crowd_sold_of', sums), exact ? 'good' : '')}
      ${fact('drift', known ? number(crowd.drift) : '…', known ? toneOfDrift : '')}
      ${fact('rate', number(Math.round(crowd.requests / seconds)))}
      ${fact('time', t('crowd_seconds', { seconds: seconds.toFixed(1) }))}</dl>
    <${Told} answers=${crowd.answers} /></div>`;
}

// Told lists how often each refusal was answered. A careful buyer comes back after most of them, so that there are
// more than buyers.
function Told({ answers }) {
  const times = {};
  for (const [answer, n] of Object.entries(answers)) {
    const code = answer.slice(answer.indexOf(':') + 1);
    if (code !== 'ok') times[code] = (times[code] ?? 0) + n;
  }
  const rows = Object.entries(times).sort(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  const [[, most]] = rows;
  return html`<div class="told"><h3>${t('crowd_told')}</h3>
    <ul>${rows.map(
      ([code, n]) => html`<li key=${code}><span>${words(code)}</span><b>${number(n)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{ width: `${(100 * n) / most}%` }}></span></span></li>`,
    )}</ul></div>`;
}

function words(code) {
  for (const key of [`crowd_told_${code}`, `problem_${code}`]) {
    if (has(key)) return t(key);
  }
  return code;
}
