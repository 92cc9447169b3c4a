// One sale, live: its alarm, its figures, its account, its charts, its answers.
import { html, useEffect, useRef } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { call, know, useEvery, useLoad, useTick } from '../shared/server.js';
import { Loading, Problem } from '../shared/parts.js';
import { ownPath, settings } from '../shared/settings.js';
import { unitsOf } from '../shared/sale_figures.js';
import { Crowd } from '../shared/crowd.js';
import { Account } from './account.js';
import { Alarm, alarms, useWatched } from './alarm.js';
import { Answers } from './answers.js';
import { Charts, keep, merged, pointOf, upTo } from './history.js';
import { Draw } from './draw.js';
import { Holds } from './holds.js';
import { Figures, leftOf, readComing } from './live_figures.js';
import { Menu } from './menu.js';
import { moment, span } from './moment.js';
import { useNarrow } from './narrow.js';
import { readAll } from './parts.js';
import { Countdown, countdown, SaleState, SoldOut, stateOf } from './sales.js';
import { Clone, Close, Extend, Pause, Stock } from './sale_actions.js';
import { Reminders } from './reminders.js';
import { SoundSwitch } from './sound.js';
import { WaitingRoom } from './waiting_room.js';
import { ReservedLeft } from './reserved.js';
import { Needed } from './needed.js';
import { NextWave } from './waves.js';
import { BackToSales, SaleTabs } from './ways.js';

const sells = (sale) => stateOf(sale) === 'running' && !sale.paused_at;

export function Live({ id, query }) {
  const todo = new URLSearchParams(query).get('do');
  const path = `/activities/${encodeURIComponent(id)}`;
  const sale = useEvery(5000, () => call('GET', path));
  const skus = useLoad(() => readAll('/skus', { activity_id: id }));
  const history = useEvery(60_000, () => call('GET', `${path}/history`));
  const coming = useEvery(10_000, async () => sale.value && readComing(sale.value));
  const known = Boolean(sale.value);
  useEffect(() => {
    if (known) coming.reload(); // its first read came before the sale
  }, [known]);
  const points = useRef([]);
  const stats = useWatched(1000, async () => {
    const now = await call('GET', `${path}/stats`);
    know(now.server_time);
    return now;
  });
  const audit = useWatched(2000, () => call('GET', `${path}/audit`));
  const now = stats.value && pointOf(stats.value, leftOf(stats.value, audit.value));
  if (now) points.current = keep(points.current, now);
  useTick();
  const error = sale.error ?? stats.error ?? audit.error;
  if (!sale.value) return error ? html`<${Problem} error=${error} retry=${sale.reload} />` : html`<${Loading} />`;
  const again = () => {
    sale.reload();
    audit.reload();
    stats.reload();
  };
  const past = merged(history.value?.items ?? [], points.current);
  const all = now ? upTo(past, now) : past;
  return html`<${BackToSales} />
    <${Heading} sale=${sale.value} stats=${stats.value} then=${again} pauses=${todo === 'pause'} />
    <${SaleTabs} id=${id} current="live" />
    ${
      sale.value.paused_at &&
      html`<p class="notice warn" id="paused" role="status">
      ${t('sale_paused', { time: moment(sale.value.paused_at) })}</p>`
    }
    <${Problem} error=${error} retry=${again} />
    <${Alarm} title=${sale.value.title} reasons=${alarms(stats, audit)} /><${Needed} sale=${id} stats=${stats.value} />
    ${stats.value?.partial && html`<p class="notice">${t('partial')}</p>`}
    ${
      stats.value &&
      html`<${Figures} sale=${sale.value} skus=${skus.value} stats=${stats.value} audit=${audit.value}
        coming=${coming.value} points=${all} />`
    }
    <${NextWave} sale=${sale.value} stats=${stats.value} then=${again} />
    <${ReservedLeft} sale=${sale.value} stats=${stats.value} />
    <${Draw} sale=${sale.value} /><${Reminders} sale=${sale.value} />
    <${WaitingRoom} sale=${sale.value} line=${stats.value?.waiting_room} then=${again} />
    <${Charts} points=${all} starts=${sale.value.starts_at} total=${unitsOf(stats.value?.stock ?? [], 'total')} />
    ${audit.value && html`<${Account} audit=${audit.value} sale=${sale.value} again=${again} />`}
    <${Holds} sale=${sale.value} offered=${audit.value && unitsOf(audit.value.items, 'offered')} then=${again} />
    ${stats.value && html`<${Answers} stats=${stats.value} />`}
    ${settings.dev_tokens && sells(sale.value) && html`<${Crowd} activity=${id} />`}`;
}

// Heading says what a sale does now, and has what is done with it, which stays in view. A phone has room for the pause.
/** @param {any} props */
function Heading({ sale, stats, then, pauses }) {
  const narrow = useNarrow();
  const shop = html`<a href=${ownPath(`/#/sale/${sale.activity_id}`)}>${t('see_in_shop')}</a>`;
  const changes = html`<${Stock} sale=${sale} then=${then} /><${Extend} sale=${sale} then=${then} />`;
  return html`<div class="at-hand">
      <div class="row"><h1>${sale.title}</h1><${SaleState} sale=${sale} />
        <${SoldOut} sale=${sale} stats=${stats} /></div>
      <div class="row tools"><span class="row actions"><${Pause} sale=${sale} then=${then} opens=${pauses} />
          ${!narrow && changes}
          <${Menu}>${narrow && html`${changes}${shop}<${SoundSwitch} />`}
            <${Clone} sale=${sale} kind="link" /><${Close} sale=${sale} then=${then} /><//></span></div></div>
    <p class="muted when">${span(sale.starts_at, sale.ends_at)}
      ${countdown(sale) && html` · <${Countdown} sale=${sale} />`}${!narrow && html` · ${shop}`}</p>`;
}
