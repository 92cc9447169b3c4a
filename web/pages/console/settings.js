// Settings of all instances: a stop of all sales, parts that are turned off, limits, the log.
import { html, useEffect } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Loading, Problem } from '../shared/parts.js';
import { Action, Badge, Table } from './parts.js';
import { GoOn, patchSettings, readSettings, StopSales, takenBack, useSettings } from './standing.js';

const change = 'PATCH /settings';
const limits = [
  'limits',
  'limit_user',
  'limit_address',
  'limit_network',
  'limit_strangers',
  'limit_instance',
  'limit_routes',
];
const lists = ['limit_routes', 'image_hosts'];
const levels = ['full', 'no_streams', 'no_lists', 'only_placing'];
const choices = {
  degrade: () => levels.map((level) => [level, t(`degrade_${level}`)]),
  limits: () => ['on', 'dry_run', 'off'].map((mode) => [mode, t(`limits_${mode}`)]),
  log: () => ['debug', 'info', 'warn', 'error'].map((level) => [level, level]),
};

// shown is a value in words.
function shown(name, value) {
  if (name === 'degrade' || name === 'limits') return t(`${name}_${value}`);
  const text = typed(value);
  return text === 'none' ? t('setting_none') : text;
}

// typed is a value as a form has it.
const typed = (value) => (Array.isArray(value) ? value.join(', ') || 'none' : value);

// valueOf is what a form has as the API takes it; an empty field unsets.
function valueOf(name, typed = '') {
  return lists.includes(name) && typed ? typed.split(/\s*,\s*/) : typed.trim() || null;
}

export function Settings({ query }) {
  const { value, error } = useSettings();
  const reload = readSettings;
  useEffect(() => {
    readSettings(); // the bar reads them only now and then
  }, []);
  if (!value) return error ? html`<${Problem} error=${error} retry=${reload} />` : html`<${Loading} />`;
  const { set, in_force: now } = value;
  const edit = (name) => html`<${Action} route=${change} label=${t('change_setting')} id="set-${name}"
    title=${t(`setting_${name}`)} help=${t(`setting_${name}_help`)} then=${reload}
    done=${t('done_setting', { setting: t(`setting_${name}`) })} undo=${takenBack({ [name]: set[name] ?? null })}
    fields=${[
      choices[name]
        ? { name: 'value', of: name, label: t('value'), options: choices[name](), initial: now[name] }
        : {
            name: 'value',
            of: name,
            label: t('value'),
            help: t('setting_empty'),
            initial: typed(set[name] ?? ''),
          },
    ]}
    run=${({ value: typed }, key, version) => patchSettings({ [name]: valueOf(name, typed) })({}, key, version)} />`;
  const columns = [
    [
      t('setting'),
      (name) => html`<b>${t(`setting_${name}`)}</b>
      <p class="muted">${t(`setting_${name}_help`)}</p>`,
      'lead wide',
    ],
    [
      t('value'),
      (name) => html`${shown(name, now[name])}
      <p class="muted">${t(set[name] === undefined ? 'setting_environment' : 'setting_operators')}</p>`,
    ],
    [
      '',
      (name) => html`<div class="row actions">${edit(name)}
      ${
        set[name] !== undefined &&
        html`<${Action} route=${change} label=${t('unset')} id="unset-${name}" run=${patchSettings({ [name]: null })}
          then=${reload} done=${t('done_setting', { setting: t(`setting_${name}`) })}
          undo=${takenBack({ [name]: set[name] })} />`
      }</div>`,
      'tools',
    ],
  ];
  return html`<h1>${t('menu_settings')}</h1><p class="muted">${t('settings_help')}</p>
    <section class="card row" id="all-sales"><div class="grow"><h2>${t('all_sales')}</h2>
      <p><${Badge} state=${now.sales_stopped ? 'stopped' : 'ok'} />${' '}
        ${t(now.sales_stopped ? 'sales_are_stopped' : 'sales_go_on')}</p></div>
      ${
        now.sales_stopped ? html`<${GoOn} id="go-on" />` : html`<${StopSales} opens=${query === 'do=stop'} />`
      }</section>
    ${value.pending && html`<p class="notice warn">${t('settings_pending')}</p>`}
    ${
      now.limits !== 'on' &&
      html`<p class="notice warn row" id="limits-off"><span class="grow">${t(`limits_are_${now.limits}`)}</span>
        <${Action} route=${change} label=${t('limits_turn_on')} id="limits-on" run=${patchSettings({ limits: 'on' })}
          then=${reload} done=${t('done_setting', { setting: t('setting_limits') })}
          undo=${takenBack({ limits: set.limits ?? null })} /></p>`
    }
    <${Problem} error=${error} />
    <${Table} name=${t('menu_settings')} columns=${columns} rows=${['degrade', ...limits, 'image_hosts', 'log']}
      keyOf=${(name) => name} />`;
}
