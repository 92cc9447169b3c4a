//go:build large

package browser_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// stripeJS does what Stripe's documents say of its script: elements makes a form for a client secret, which says when
// it is ready, and confirmPayment returns an error, or sends the buyer to the return_url. https://docs.stripe.com/js
const stripeJS = `
window.told = [];
window.Stripe = (key) => ({
	elements: ({ clientSecret, appearance, locale }) => ({ create: (type) => ({
		on: (event, heard) => { if (event === 'ready') window.ready = heard; },
		mount: (place) => {
			place.innerHTML = '<iframe title="Secure payment input frame" src="https://js.stripe.com/frame"></iframe>';
			window.looks = [appearance.theme, appearance.variables.colorBackground, locale];
			told.push([key, clientSecret, type]);
		},
	}) }),
	confirmPayment: async ({ elements, confirmParams }) => {
		told.push([typeof elements.create, confirmParams.return_url]);
		if (told.length < 3) return { error: { type: 'card_error', message: 'Your card was declined.' } };
		location.assign(confirmParams.return_url + '?paid');
		return new Promise(() => {});
	},
});`

// Stripe can't be reached from tests: its host is a double, and so is the answer of the channel.
func TestAPaymentByStripeShowsItsForm(t *testing.T) {
	t.Parallel()
	stripe := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v3/" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(stripeJS))
		}
	}))
	t.Cleanup(stripe.Close)
	at, err := url.Parse(stripe.URL)
	require.NoError(t, err)
	b := browser.Open(t, chromedp.Flag("host-resolver-rules", "MAP js.stripe.com "+at.Host),
		chromedp.Flag("ignore-certificate-errors", true))
	s := site.Start(t, kit.OnEmbedded(t), site.Reachable(), site.Configured(func(cfg *server.Config) {
		cfg.Stripe.SecretKey, cfg.Stripe.PublishableKey = "sk_test_1", "pk_test_1"
		cfg.Stripe.WebhookSecret = "whsec_1"
	}))
	sale := s.Open(t, site.Sale{})
	page := b.Page(t, s.URL+"/#/sale/"+sale)
	page.Do(t, click("#buy"), click("#place"), see("section.pay #pay"))
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = (url, options) => !String(url).endsWith('/payments') ? answered(url, options) :
			Promise.resolve(new Response(JSON.stringify({ status: 'pending', next: { params: {
				client_secret: 'pi_1_secret_x', publishable_key: 'pk_test_1', return_url: location.origin + '/livez',
			} } }), { status: 201, headers: { 'Content-Type': 'application/json' } }));
		return true`)
	page.Do(t, click("section.pay #pay"), see(".stripe iframe"))
	assert.Equal(t, []string{"stripe", "#fff", "en"}, browser.Run[[]string](t, page, `return looks`))
	reads(t, page, ".stripe [role=status]", "^Loading the card form …$")
	room := browser.Run[int](t, page, `return document.querySelector('.stripe [role=status]').clientHeight`)
	assert.GreaterOrEqual(t, room, 200, "the form has its room before it is there")
	page.Do(t, see("#stripe-pay[disabled]"))
	browser.Run[bool](t, page, `ready(); return true`)
	page.Do(t, see("#stripe-pay:enabled"), browser.Until(`!document.querySelector('.stripe [role=status]')`))
	reads(t, page, "#stripe-pay", `^Pay ¥1\.00$`)
	page.Screenshot(t, "stripe")
	page.Do(t, click("#stripe-pay"))
	reads(t, page, ".stripe .problem", "^Your card was declined.$")
	assert.Equal(t, [][]string{{"pk_test_1", "pi_1_secret_x", "payment"}, {"function", s.URL + "/livez"}},
		browser.Run[[][]string](t, page, `return told`))
	page.Do(t, click("#stripe-pay"))
	require.Eventually(t, func() bool { return page.At(t) == s.URL+"/livez?paid" }, time.Minute, 50*time.Millisecond)
}
