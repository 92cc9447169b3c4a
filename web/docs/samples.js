'use strict';

// Samples of a request in three languages, and the quick start. A request is {method, path, headers, body, token}: body
// is text, token whether the request needs one.

// root is where the routes are, such as https://shop.example/sales.
const root = document.currentScript.src.replace(/\/docs\/assets\/[^/]*$/, '');

const languages = ['curl', 'JavaScript', 'Go'];

const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function inCurl({ method, path, headers, body, token }) {
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}${inShell(root + path)}`];
  if (token) parts.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of headers) parts.push('-H ' + inShell(`${name}: ${value}`));
  if (body) parts.push('-d ' + inShell(body));
  return parts.join(' \\\n  ');
}

const indented = (text, by) => text.replaceAll('\n', '\n' + by);

function inJavaScript({ method, path, headers, body, token }) {
  const all = headers.map(([name, value]) => `    '${name}': ${JSON.stringify(value)},`);
  if (token) all.unshift('    Authorization: `Bearer ${token}`,');
  return [
    `const answer = await fetch(${JSON.stringify(root + path)}, {`,
    `  method: '${method}',`,
    ...(all.length ? ['  headers: {', ...all, '  },'] : []),
    ...(body ? [`  body: JSON.stringify(${indented(body, '  ')}),`] : []),
    '});',
    'if (!answer.ok) throw new Error((await answer.json()).code);',
    'console.log(await answer.text());',
  ].join('\n');
}

function inGo({ method, path, headers, body, token }) {
  const standard = ['fmt', 'io', 'log', 'net/http', ...(token ? ['os'] : []), ...(body ? ['strings'] : [])];
  const sent = body ? 'strings.NewReader(`' + indented(body, '\t') + '`)' : 'nil';
  return [
    'package main\n\nimport (',
    ...standard.map((name) => `\t"${name}"`),
    ')\n\nfunc main() {',
    `\treq, err := http.NewRequest("${method}", ${JSON.stringify(root + path)}, ${sent})`,
    '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    ...(token ? ['\treq.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))'] : []),
    ...headers.map(([name, value]) => `\treq.Header.Set("${name}", ${JSON.stringify(value)})`),
    '\tres, err := http.DefaultClient.Do(req)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    '\tdefer res.Body.Close()\n\tanswer, err := io.ReadAll(res.Body)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    '\tfmt.Println(res.Status, string(answer))\n}',
  ].join('\n');
}

const writers = { curl: inCurl, JavaScript: inJavaScript, Go: inGo };

// copied puts a text on the clipboard. Where the browser keeps it from pages without TLS, it selects the text instead.
async function copied(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    getSelection().selectAllChildren(shown);
    return 'Selected: press Ctrl-C';
  }
}

// copyable shows a text with a button that copies it.
function copyable(text) {
  const shown = el('pre', { tabindex: '0', 'aria-label': 'Code' }, text);
  const says = el('span', { class: 'hidden', role: 'status' });
  const button = el('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    button.textContent = says.textContent = await copied(text, shown);
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  return el('div', { class: 'code' }, shown, button, says);
}

const chosenLanguage = () => {
  const kept = sessionStorage.getItem('language');
  return languages.includes(kept) ? kept : languages[0];
};

// chooseLanguage shows all samples of the page in a language.
function chooseLanguage(language) {
  sessionStorage.setItem('language', language);
  for (const block of document.querySelectorAll('.samples')) block.dispatchEvent(new Event('language'));
}

// samples shows a request in the chosen language, with a button for each language.
function samples(request) {
  const code = el('div');
  const buttons = languages.map((language) =>
    el('button', { type: 'button', onclick: () => chooseLanguage(language) }, language),
  );
  const block = el('div', { class: 'samples' }, el('div', { class: 'row languages' }, buttons), code);
  const draw = () => {
    const language = chosenLanguage();
    for (const [i, button] of buttons.entries()) button.setAttribute('aria-pressed', languages[i] === language);
    code.replaceChildren(copyable(writers[language](request)));
  };
  block.addEventListener('language', draw);
  draw();
  return block;
}

// requestOf returns a request to a route with its example: required parameters only, with NAME where the value is the
// reader's.
function requestOf(method, path, parameters, body, token) {
  const request = { method: method.toUpperCase(), path, headers: [], token };
  const query = [];
  for (const p of parameters.filter((parameter) => parameter.required)) {
    const schema = follow(p.schema);
    const value = String(p.example ?? schema.example ?? (schema.enum ? schema.enum[0] : p.name.toUpperCase()));
    if (p.in === 'path') request.path = request.path.replace(`{${p.name}}`, value);
    else if (p.in === 'query') query.push(`${p.name}=${value}`);
    else if (p.name === 'Idempotency-Key') request.headers.push([p.name, newKey()]);
    else request.headers.push([p.name, value]);
  }
  if (query.length) request.path += '?' + query.join('&');
  if (!body) return request;
  request.headers.push(['Content-Type', 'application/json']);
  request.body = JSON.stringify(body.example !== undefined ? body.example : example(body.schema), null, 2);
  return request;
}

const oneCall = () => `import { Onrush } from '${root}/assets/onrush.js';

const onrush = new Onrush({ token: () => token });
const order = await onrush.buy({ activity: 'ACTIVITY_ID', sku: 'course', quantity: 1 });
console.log(order);`;

// steps are the steps of a purchase, from the token to the payment: each has a title, help, and a request.
function steps() {
  const post = (path, body, more = {}) => {
    const keys = more.key ? [['Idempotency-Key', newKey()]] : [];
    const headers = [...keys, ['Content-Type', 'application/json']];
    return { method: 'POST', path, headers, body: JSON.stringify(body, null, 2), token: true, ...more };
  };
  const get = (path, token) => ({ method: 'GET', path, headers: [], token });
  return [
    [
      'Get a token',
      'On a program for development; elsewhere your platform signs it. Put `token` of the answer into `TOKEN`.',
      post('/dev/token', { user_id: 'ada', role: 'user' }, { token: false }),
    ],
    ['See what is on sale', 'Take an `activity_id`.', get('/api/v1/activities?state=running', false)],
    [
      'Get a path',
      'Gates stand before it: `code` of a refusal says which, and when to ask again. Take `path`.',
      post('/api/v1/seckill/path', { activity_id: 'ACTIVITY_ID', sku_id: 'course' }),
    ],
    [
      'Place the order',
      'Repeat it with the same key until an answer comes: it places one order. Take `order_number`.',
      post('/api/v1/seckill/PATH/submit', { quantity: 1 }, { key: true }),
    ],
    ['See it in my orders', 'It is there at once.', get('/api/v1/orders', true)],
    [
      'Pay',
      'Send the buyer to `redirect_url`.',
      post('/api/v1/payments', { order_numbers: ['ORDER_NUMBER'], channel: 'sandbox' }, { key: true }),
    ],
  ];
}

// quickStart shows a purchase: in one call of the client for browsers, and step by step.
function quickStart() {
  const step = ([title, help, request], i) => {
    const inside = el('div');
    const block = el('details', { open: i === 0 }, el('summary', {}, title), inside);
    block.addEventListener('toggle', () => {
      if (!inside.childNodes.length) inside.append(el('p', { class: 'muted' }, words(help)), samples(request));
    });
    return el('li', {}, block);
  };
  return el(
    'section',
    { class: 'card', id: 'quick-start', 'aria-labelledby': 'quick-start-title' },
    el('h2', { id: 'quick-start-title' }, 'Quick start'),
    el('p', { class: 'muted' }, 'In a browser, one call passes all gates of a sale, and repeats safely what failed:'),
    copyable(oneCall()),
    el('p', { class: 'muted' }, 'Step by step, from a token to a paid order:'),
    el('ol', { class: 'steps' }, steps().map(step)),
  );
}
