// settings are what the server says of itself: dev_tokens, channels.
export const settings = JSON.parse(document.querySelector('meta[name=onrush]').content);
