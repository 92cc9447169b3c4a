// settings are what the server says of itself: base, dev_tokens, host_login, sign_in, channels, return_url, stripe.
export const settings = JSON.parse(document.querySelector('meta[name=onrush]').getAttribute('content'));

// role is the role of the page's readers: user or admin.
export const { role } = document.documentElement.dataset;

// ownPath returns the path of the program's own by which browsers reach it, such as /sales/docs for /docs.
export const ownPath = (path) => settings.base + path;

// ownName returns the name of what the browser keeps: below a path, other programs have the same origin.
export const ownName = (name) => (settings.base ? `${settings.base}:${name}` : name);
