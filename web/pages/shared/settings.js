// settings are what the server says of itself: dev_tokens, channels, return_url, stripe.
export const settings = JSON.parse(document.querySelector('meta[name=onrush]').getAttribute('content'));

// role is the role of the page's readers: user or admin.
export const { role } = document.documentElement.dataset;
