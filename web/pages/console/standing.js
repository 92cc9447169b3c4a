// The settings in force, which the whole console shares: whether all sales are stopped, and what is turned off.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { number, t } from '../shared/texts.js';
import { call, useEvery } from '../shared/server.js';
import { clockOf } from '../shared/sale_figures.js';
import { may } from './me.js';
import { Action, readAll } from './parts.js';

const every = 5000; // ms
const change = 'PATCH /settings';
const listeners = new Set();
let read = {}; // {value, error}, as the settings were read last
let reading; // the first time that they are read

// readSettings reads the settings for all that follow them. What was read before stays beside an error.
export async function readSettings() {
  if (!may('GET /settings')) return;
  try {
    read = { value: await call('GET', '/settings') };
  } catch (error) {
    read = { ...read, error };
  }
  for (const listener of listeners) listener();
}

// settingsNow returns the settings as the bar across all views has read them, which it does every few seconds.
export async function settingsNow() {
  await (reading ??= readSettings());
  if (read.error) throw read.error;
  return read.value;
}

// useSettings makes a component follow the settings: {value, error}.
export function useSettings() {
  const [, follow] = useState(0);
  useEffect(() => {
    const listener = () => follow((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return read;
}

// patchSettings is what an Action runs to change settings. The version is of the settings that the reader saw.
export const patchSettings = (body) => (_, key, version) =>
  call('PATCH', '/settings', { version: version ?? read.value.version, body });

// takenBack is the undo of an Action that changed settings.
export const takenBack = (body) => (now) => (key) => patchSettings(body)({}, key, now.version);

// salesStopped reports whether no sale takes orders; false while nobody knows.
export const salesStopped = () => Boolean(read.value?.in_force.sales_stopped);

// GoOn lets all sales take orders again. It says first how many run.
export function GoOn({ id }) {
  const [running, count] = useState();
  const read = async () => {
    const sales = may('GET /activities') ? await readAll('/activities', { state: 'published' }) : [];
    count(sales.filter((sale) => clockOf(sale).phase === 'running' && !sale.paused_at).length);
  };
  return html`<${Action} route=${change} label=${t('go_on')} id=${id} title=${t('go_on_title')} button=${t('go_on')}
    help=${running > 0 && t('go_on_help', { running: number(running) })} onOpen=${() => read().catch(() => {})}
    run=${patchSettings({ sales_stopped: null })} then=${readSettings} done=${t('done_go_on')}
    undo=${takenBack({ sales_stopped: true })} />`;
}

// StopSales stops all sales; opens lets it ask at once.
/** @param {any} props */
export function StopSales({ opens }) {
  return html`<${Action} route=${change} label=${t('stop_sales')} kind="danger" id="stop-sales" opens=${opens}
    title=${t('stop_sales_title')} help=${t('stop_sales_help')} run=${patchSettings({ sales_stopped: true })}
    then=${readSettings} done=${t('done_stopped')} undo=${takenBack({ sales_stopped: null })} />`;
}

// TurnOn turns all parts of the program on again.
export function TurnOn({ id }) {
  return html`<${Action} route=${change} label=${t('turn_on')} id=${id}
    run=${patchSettings({ degrade: 'full' })} then=${readSettings} done=${t('done_turned_on')} />`;
}

// degradeText says what a degrade level turns off, if anything.
export const degradeText = (level = 'full') =>
  level === 'full' ? '' : t('standing_degrade', { parts: t(`degrade_${level}`) });

// Standing is the bar across all views while all sales are stopped, or a part of the program is turned off.
export function Standing() {
  useEvery(every, () => {
    const turn = readSettings();
    reading ??= turn;
    return turn;
  });
  const { value } = useSettings();
  const now = value?.in_force ?? {};
  const link = html`<a href="#/settings">${t('menu_settings')}</a>`;
  return html`<div class="standing" role="status">
    ${
      now.sales_stopped &&
      html`<p class="row bad" id="standing-stopped"><b>${t('sales_are_stopped')}</b>${link}
        <${GoOn} id="standing-go-on" /></p>`
    }
    ${
      degradeText(now.degrade) &&
      html`<p class="row warn" id="standing-degrade"><b>${degradeText(now.degrade)}</b>${link}
        <${TurnOn} id="standing-turn-on" /></p>`
    }</div>`;
}
