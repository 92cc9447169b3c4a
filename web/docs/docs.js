'use strict';

// The page reads /openapi.json and builds everything with text nodes: nothing of the description
// or of an answer is taken for HTML.

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const kept = 'docs_token'; // in sessionStorage, which the pages of the same origin share
let doc;

// el makes an element: el("a", {class: "x", href: "#"}, "text", child, …).
function el(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return node;
}

// byID finds what the page has from the start.
const byID = (id) => document.getElementById(id);

// words turns `code` and **strong** of a text into elements.
function words(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return el('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return el('strong', {}, part.slice(2, -2));
    return part;
  });
}

// prose makes paragraphs of a description.
function prose(text) {
  if (!text) return [];
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => el('p', {}, words(paragraph.replace(/\n/g, ' '))));
}

// follow resolves a reference; a description beside it stands.
function follow(thing) {
  let found = thing;
  for (let depth = 0; found && found.$ref && depth < 8; depth++) {
    const beside = { ...found };
    delete beside.$ref;
    const target = found.$ref
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name.replace(/~1/g, '/').replace(/~0/g, '~')], doc);
    found = { ...target, ...beside };
  }
  return found;
}

const refName = (thing) => (thing && thing.$ref ? thing.$ref.split('/').pop() : '');

// kindOf says in a few words what a schema takes.
function kindOf(schema) {
  const s = follow(schema);
  const parts = [];
  if (s.enum) parts.push(s.enum.map((value) => JSON.stringify(value)).join(' | '));
  else if (s.type === 'array') parts.push('list of ' + (refName(s.items) || kindOf(s.items)));
  else if (s.type === 'object' && typeof s.additionalProperties === 'object')
    parts.push('object of name → ' + kindOf(s.additionalProperties));
  else if (s.anyOf && !s.type) parts.push(s.anyOf.map(kindOf).join(' or '));
  else parts.push(s.format && s.type === 'string' ? s.format : s.type || 'any');
  if (s.pattern) parts.push(s.pattern);
  const bounds = [
    ['minimum', '≥'],
    ['exclusiveMinimum', '>'],
    ['maximum', '≤'],
    ['minLength', 'length ≥'],
    ['maxLength', 'length ≤'],
    ['minItems', 'items ≥'],
    ['maxItems', 'items ≤'],
  ];
  for (const [name, sign] of bounds) {
    if (s[name] !== undefined) parts.push(`${sign} ${s[name]}`);
  }
  if (s.default !== undefined) parts.push('default ' + JSON.stringify(s.default));
  return parts.join(', ');
}

// fields lists the fields of an object, and the fields in them.
function fields(schema, depth = 0) {
  const s = follow(schema);
  if (depth > 6) return [];
  if (s.type === 'array') return fields(s.items, depth);
  if (!s.properties) return [];
  const required = new Set(s.required || []);
  return [
    el(
      'ul',
      { class: 'fields' },
      Object.entries(s.properties).map(([name, property]) => {
        const p = follow(property);
        return el(
          'li',
          {},
          el('code', {}, name),
          ' ',
          el('span', { class: 'kind' }, kindOf(property)),
          ' ',
          required.has(name) ? el('span', { class: 'need' }, 'required') : null,
          p.description ? [' ', el('span', { class: 'muted' }, words(p.description.trim()))] : null,
          nested(property, depth + 1),
        );
      }),
    ),
  ];
}

function nested(property, depth) {
  const s = follow(property);
  const inner = s.type === 'array' ? follow(s.items) : s;
  return inner && inner.properties ? fields(inner, depth) : null;
}

// schemaOf shows a body or an answer, opened on demand.
function schemaOf(media, open) {
  if (!media || !media.schema) return null;
  const name = refName(media.schema) || kindOf(media.schema);
  const inside = fields(media.schema);
  if (!inside.length) return el('span', { class: 'kind' }, ' ' + kindOf(media.schema));
  return el('details', { class: 'schema', open }, el('summary', {}, name), inside);
}

// example makes a value that fits a schema.
function example(schema, depth = 0) {
  const s = follow(schema);
  if (depth > 6) return null;
  if (s.example !== undefined) return s.example;
  if (s.default !== undefined) return s.default;
  if (s.enum) return s.enum[0];
  switch (s.type) {
    case 'object': {
      const value = {};
      for (const name of s.required || []) value[name] = example(s.properties[name], depth + 1);
      return value;
    }
    case 'array':
      return [example(s.items, depth + 1)];
    case 'integer':
    case 'number':
      return s.minimum || 0;
    case 'boolean':
      return false;
    default:
      return s.format === 'date-time' ? new Date().toISOString() : '';
  }
}

function parameterTable(parameters) {
  if (!parameters.length) return [];
  return [
    el('h3', {}, 'Parameters'),
    el(
      'div',
      { class: 'scroll' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['Name', 'In', 'Takes', ''].map((head) => el('th', { scope: 'col' }, head)),
          ),
        ),
        el(
          'tbody',
          {},
          parameters.map((p) =>
            el(
              'tr',
              {},
              el('td', {}, el('code', {}, p.name), ' ', p.required ? el('span', { class: 'need' }, 'required') : null),
              el('td', { 'data-name': 'In' }, p.in),
              el('td', { 'data-name': 'Takes', class: 'kind' }, kindOf(p.schema)),
              el('td', { class: 'muted' }, prose(p.description || follow(p.schema).description)),
            ),
          ),
        ),
      ),
    ),
  ];
}

function answers(responses) {
  return [
    el('h3', {}, 'Answers'),
    Object.entries(responses).map(([status, response]) => {
      const r = follow(response);
      const media = r.content && Object.values(r.content)[0];
      const good = status.startsWith('2');
      return el(
        'div',
        { class: 'answer' },
        el('span', { class: 'status ' + (good ? 'good' : 'bad') }, status === 'default' ? 'other' : status),
        el('span', {}, words((r.description || '').trim())),
        good ? schemaOf(media, true) : null,
        r.headers ? el('div', { class: 'kind' }, 'Headers: ' + Object.keys(r.headers).join(', ')) : null,
      );
    }),
  ];
}

// tryIt is a form that sends the request from here.
function tryIt(method, path, operation, parameters, body) {
  const inputs = new Map();
  const grid = el(
    'div',
    { class: 'grid' },
    parameters.map((p) => {
      const choices = follow(p.schema).enum;
      const preset = p.name === 'Idempotency-Key' ? newKey() : '';
      const input = choices
        ? el(
            'select',
            {},
            el('option', { value: '' }, ''),
            choices.map((c) => el('option', {}, c)),
          )
        : el('input', { value: preset, spellcheck: 'false', autocomplete: 'off' });
      inputs.set(p, input);
      return el('label', {}, p.name + (p.required ? ' *' : ''), input);
    }),
  );
  const text = body && el('textarea', { 'aria-label': 'Body', spellcheck: 'false' });
  if (text) text.value = JSON.stringify(body.example !== undefined ? body.example : example(body.schema), null, 2);
  const out = el('div', { role: 'status' });
  const form = el(
    'form',
    { class: 'try' },
    el('h3', {}, 'Try it'),
    grid,
    text ? el('label', {}, 'Body', text) : null,
    el(
      'div',
      { class: 'row' },
      el('button', { class: 'go', type: 'submit' }, 'Send'),
      parameters.some((p) => p.name === 'Idempotency-Key')
        ? el('button', { type: 'button', onclick: () => renewKeys(inputs) }, 'New idempotency key')
        : null,
    ),
    out,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(method, path, inputs, text, operation, out);
  });
  return form;
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function renewKeys(inputs) {
  for (const [p, input] of inputs) if (p.name === 'Idempotency-Key') input.value = newKey();
}

async function send(method, path, inputs, text, operation, out) {
  const headers = {};
  const query = new URLSearchParams();
  let address = path;
  for (const [p, input] of inputs) {
    const value = input.value;
    if (p.in === 'path') address = address.replace(`{${p.name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (p.in === 'query') query.set(p.name, value);
    else if (p.in === 'header') headers[p.name] = value;
  }
  if ([...query].length) address += '?' + query;
  const token = byID('token').value.trim();
  if (locked(operation) && token) headers.Authorization = 'Bearer ' + token;
  if (text) headers['Content-Type'] = 'application/json';
  const shown = el('pre');
  const head = el('p', { class: 'mono' }, `${method.toUpperCase()} ${address} …`);
  out.replaceChildren(head, shown);
  const started = performance.now();
  try {
    const response = await fetch(root + address, {
      method: method.toUpperCase(),
      headers,
      body: text ? text.value : undefined,
    });
    const took = () => `${Math.round(performance.now() - started)} ms`;
    const kind = response.headers.get('Content-Type') || '';
    head.replaceChildren(
      el('span', { class: 'status ' + (response.ok ? 'good' : 'bad') }, String(response.status)),
      `${method.toUpperCase()} ${address} · ${took()} · ${response.headers.get('X-Request-Id') || ''}`,
    );
    if (kind.startsWith('text/event-stream')) return await readStream(response, shown);
    const answer = await response.text();
    shown.textContent =
      kind.includes('json') && answer ? JSON.stringify(JSON.parse(answer), null, 2) : answer || '(empty)';
  } catch (error) {
    shown.textContent = String(error);
  }
}

async function readStream(response, shown) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    shown.textContent += value;
  }
}

const locked = (operation) => (operation.security || []).length > 0;
const forAdmins = (operation) => (operation.security || []).some((s) => (s.bearer || []).includes('admin'));

// tokens are the words for who may call a route.
const tokens = { nobody: 'no token', either: 'token optional', user: "user's token", admin: "operator's token" };

function access(operation) {
  if (!locked(operation)) return 'nobody';
  if (operation.security.some((way) => Object.keys(way).length === 0)) return 'either';
  return forAdmins(operation) ? 'admin' : 'user';
}

// route shows one route; its content is made when it is first opened.
function route(method, path, operation, shared) {
  const parameters = [...(shared || []), ...(operation.parameters || [])].map(follow);
  const inside = el('div', { class: 'inside' });
  const block = el(
    'details',
    { class: 'route', id: operation.operationId },
    el(
      'summary',
      {},
      el('span', { class: 'verb ' + method.toUpperCase() }, method.toUpperCase()),
      el('code', { class: 'path' }, path),
      el('span', { class: 'lock ' + access(operation) }, tokens[access(operation)]),
      el('span', { class: 'says' }, operation.summary || ''),
    ),
    inside,
  );
  block.addEventListener('toggle', () => {
    if (!block.open || inside.childNodes.length) return;
    const request = operation.requestBody && follow(operation.requestBody);
    const body = request && request.content['application/json'];
    inside.append(
      ...prose(operation.description),
      el('h3', {}, 'Sample'),
      samples(requestOf(method, path, parameters, body, ['user', 'admin'].includes(access(operation)))),
      ...parameterTable(parameters),
      ...(body ? [el('h3', {}, 'Body'), schemaOf(body, true)] : []),
      ...answers(operation.responses).flat(),
      tryIt(method, path, operation, parameters, body),
    );
  });
  return block;
}

function operations() {
  return Object.entries(doc.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => ({ method, path, operation: item[method], shared: item.parameters })),
  );
}

function build() {
  byID('title').textContent = doc.info.title;
  byID('version').textContent = doc.info.version;
  document.title = doc.info.title + ' API';
  byID('intro').append(
    el(
      'div',
      { class: 'card' },
      el('h1', {}, doc.info.title + ' API'),
      el('p', { class: 'muted' }, doc.info.summary || ''),
      el('details', { class: 'conventions' }, el('summary', {}, 'Conventions'), prose(doc.info.description)),
      el(
        'p',
        {},
        el('a', { href: root + '/openapi.yaml' }, 'openapi.yaml'),
        ' · ',
        el('a', { href: root + '/openapi.json' }, 'openapi.json'),
        ' · ',
        el('a', { href: root + '/' }, 'shop'),
        ' · ',
        el('a', { href: root + '/admin' }, 'console'),
      ),
    ),
    quickStart(),
  );
  const all = operations();
  const routes = byID('routes');
  routes.replaceChildren();
  for (const tag of doc.tags) {
    const mine = all.filter((o) => (o.operation.tags || []).includes(tag.name));
    routes.append(
      el(
        'section',
        { class: 'group' },
        el('div', { class: 'tag' }, el('h2', {}, tag.name), el('p', { class: 'muted' }, tag.description || '')),
        mine.map((o) => route(o.method, o.path, o.operation, o.shared)),
      ),
    );
    byID('index').append(
      el(
        'div',
        { class: 'group' },
        el('h2', {}, tag.name),
        mine.map((o) =>
          el(
            'a',
            { href: '#' + o.operation.operationId },
            el(
              'span',
              { class: 'verb ' + o.method.toUpperCase() },
              o.method === 'delete' ? 'DEL' : o.method.toUpperCase(),
            ),
            o.operation.summary,
          ),
        ),
      ),
    );
  }
}

// filter hides the routes that don't have the words typed, and the groups that are then empty.
function filter() {
  const wanted = byID('filter').value.trim().toLowerCase();
  for (const item of document.querySelectorAll('details.route, nav a')) {
    const id = item.id || item.getAttribute('href').slice(1);
    const block = byID(id);
    const text = (block.querySelector('summary').textContent + ' ' + id).toLowerCase();
    item.hidden = !text.includes(wanted);
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = !group.querySelector('details.route:not([hidden]), a:not([hidden])');
  }
}

function openFromAddress() {
  const block = location.hash && byID(location.hash.slice(1));
  if (block && block.tagName === 'DETAILS') {
    block.open = true;
    block.scrollIntoView();
  }
}

function changeTheme() {
  const now =
    document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const next = now === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  sessionStorage.setItem('theme', next);
}

async function devToken(event) {
  event.preventDefault();
  const says = byID('dev-answer');
  try {
    const response = await fetch(root + '/dev/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user_id: byID('dev-user').value, role: byID('dev-role').value }),
    });
    const answer = await response.json();
    if (!response.ok) {
      says.textContent = response.status === 404 ? 'This server gives no development tokens.' : answer.detail;
      return;
    }
    byID('token').value = answer.token;
    sessionStorage.setItem(kept, answer.token);
    says.textContent = 'Good until ' + answer.expires_at + '.';
  } catch (error) {
    says.textContent = String(error);
  }
}

async function start() {
  const theme = sessionStorage.getItem('theme');
  if (theme) document.documentElement.dataset.theme = theme;
  byID('token').value = sessionStorage.getItem(kept) || '';
  byID('token').addEventListener('change', () => sessionStorage.setItem(kept, byID('token').value.trim()));
  byID('theme').addEventListener('click', changeTheme);
  byID('filter').addEventListener('input', filter);
  byID('dev').addEventListener('submit', devToken);
  window.addEventListener('hashchange', openFromAddress);
  try {
    const response = await fetch(root + '/openapi.json');
    if (!response.ok) throw new Error('the server answered ' + response.status);
    doc = await response.json();
  } catch (error) {
    byID('wait').textContent = 'The description could not be read: ' + error.message;
    return;
  }
  build();
  openFromAddress();
}

start();
