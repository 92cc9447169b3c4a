//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The freight rises while a buyer reads the amounts: the order costs what was shown. Amounts that don't hold any more
// are shown again before the order is placed.
func TestAnOrderCostsWhatTheBuyerConfirmed(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada := s.Buyer(t, "ada")
	ada.Address(t, "east")
	sale := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"east": 9},
		Regions: map[string][]string{"east": {"east"}},
	})
	freight := func(extra int64) {
		t.Helper()
		_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{
			ID: "east", Name: "East", Regions: []string{"east"}, FreightExtra: extra, Pickup: true,
		})
		require.NoError(t, err)
	}
	total := func() any {
		t.Helper()
		s.Drain(t)
		return ada.Call(t, http.MethodGet, "/api/v1/orders/"+number(t, page), "", nil).JSON(t)["total_amount"]
	}
	buy := func() {
		t.Helper()
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#address"),
			browser.Until(`!document.querySelector('#buy').disabled`), click("#buy"), see("dialog #place"))
	}
	buy()
	reads(t, page, "dialog .amounts", `1\.00[\s\S]*1\.00`)
	freight(50)
	page.Do(t, click("#place"), see(".way"))
	assert.EqualValues(t, 100, total(), "what was shown")

	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = (url, options) => {
			if (!String(url).endsWith('/submit')) return answered(url, options);
			window.fetch = answered;
			const old = { ...JSON.parse(options.body), confirmation: 'old' };
			return answered(url, { ...options, body: JSON.stringify(old) });
		};
		return true`)
	buy()
	page.Do(t, click("#place"), browser.Until(`window.fetch.toString().includes('native code')`), see("dialog #place"))
	assert.Equal(t, 1, orders(t, s, "ada"), "it waits for the buyer")
	reads(t, page, "dialog .amounts", `1\.50`)
	page.Do(t, click("#place"), see(".way"))
	assert.EqualValues(t, 150, total())
}
