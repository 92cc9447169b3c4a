// Stripe's own form, in a frame of Stripe: the data of a card never reach this page. It is loaded only where the
// program has a channel of Stripe; see https://docs.stripe.com/js.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { language, t } from '../shared/texts.js';
import { Problem } from '../shared/parts.js';

const script = 'https://js.stripe.com/v3/';

// load returns Stripe's function, once its script is there.
function load() {
  if (window.Stripe) return Promise.resolve(window.Stripe);
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = script;
    element.onload = () => resolve(window.Stripe);
    element.onerror = () => {
      element.remove();
      reject(new Error(t('stripe_missing')));
    };
    document.head.append(element);
  });
}

// appearance gives Stripe's form the colours of the page: https://docs.stripe.com/elements/appearance-api
function appearance() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe',
    variables: {
      borderRadius: '10px',
      colorPrimary: color('accent'),
      colorBackground: color('card'),
      colorText: color('ink'),
      colorDanger: color('bad'),
    },
  };
}

// StripeForm pays a payment. params are the params of its next step: client_secret, publishable_key and return_url.
// Stripe sends the buyer to the return_url when it has taken the payment.
export function StripeForm({ params, label }) {
  const place = useRef();
  const form = useRef();
  const [state, set] = useState({ busy: true, loading: true });
  useEffect(() => {
    load()
      .then((Stripe) => {
        const stripe = Stripe(params.publishable_key);
        const elements = stripe.elements({
          clientSecret: params.client_secret,
          appearance: appearance(),
          locale: language,
        });
        const fields = elements.create('payment');
        fields.on('ready', () => {
          form.current = { stripe, elements };
          set({});
        });
        fields.on('loaderror', ({ error }) => set({ error }));
        fields.mount(place.current);
      })
      .catch((error) => set({ error }));
  }, []);
  const submit = async (e) => {
    e.preventDefault();
    set({ busy: true });
    const { stripe, elements } = form.current;
    const result = await stripe
      .confirmPayment({
        elements,
        confirmParams: { return_url: params.return_url ?? location.href },
      })
      .catch((error) => ({ error }));
    set({ error: result.error });
  };
  return html`<form class="stripe" onSubmit=${submit}>
    ${state.loading && html`<p class="muted" role="status">${t('stripe_loading')}</p>`}<div ref=${place}></div>
    <${Problem} error=${state.error} />
    <button class="go large" id="stripe-pay" disabled=${state.busy || !form.current}>${label}</button></form>`;
}
