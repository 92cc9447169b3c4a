//go:build large

package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The filter stands in the address: a reload keeps it, and no match is told apart from no orders. There is one for
// failed orders.
func TestTheFilterOfMyOrdersStandsInTheAddress(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{SKU: "lamp"}), "lamp", "k").Placed(t)
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders?status=failed"))
	reads(t, page, ".tabs [aria-pressed=true]", "^Failed$")
	reads(t, page, ".none-match", `^No order matches.\s+Show all orders$`)
	page.Do(t, click(".none-match button"))
	rows(t, page, 1)
	page.Do(t, click("#filters"), chromedp.SendKeys(chromedp.CSS("#filter-name"), "lamp"),
		click(".tabs button:nth-child(2)"))
	require.Eventually(t, func() bool { return page.At(t) == s.URL+"/#/orders?status=unpaid&name=lamp" },
		time.Minute, 20*time.Millisecond)
	page.Do(t, chromedp.Reload())
	rows(t, page, 1)
	assert.Equal(t, "lamp", value(t, page, "name"))
	page.Do(t, click(`nav a[href="#/orders"]`), browser.Until(`document.getElementById('filter-name').value === ''`))
	reads(t, page, ".tabs [aria-pressed=true]", "^All$")
}

// Whoever comes back from an order finds the orders that were read, at the same place. A page that can't be read is
// asked for again, and a change that comes meanwhile is shown after it.
func TestMyOrdersKeepTheirPlaceAndMissNothing(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada, sale := s.Buyer(t, "ada"), s.Open(t, site.Sale{SKU: "lamp", Stock: map[string]int64{"0": 99}})
	for i := range 45 {
		ada.Buy(t, sale, "lamp", fmt.Sprint("k", i)).Placed(t)
	}
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/addresses"), see("#new-address"))
	browser.Run[bool](t, page, `
		window.EventSource = class extends EventSource {
			constructor(url) {
				super(url);
				this.addEventListener('order.cancelled', () => { window.heard = true; });
			}
		};
		return true`)
	refusing(t, page, "GET .*before=", "unavailable")
	at(t, page, "#/orders")
	rows(t, page, 20)
	toEnd := func() { browser.Run[bool](t, page, `scrollTo(0, document.body.scrollHeight); return true`) }
	toEnd()
	reads(t, page, "main [role=alert]", "Try again")
	assert.NotContains(t, browser.Run[string](t, page, `return document.querySelector('main').innerText`), "Loading")
	browser.Run[bool](t, page, `
		const held = new Promise((resolve) => { window.release = resolve; });
		window.fetch = async (url, options) => {
			if (!String(url).includes('before=')) return answered(url, options);
			window.holds = true;
			await held;
			return answered(url, options);
		};
		return true`)
	page.Do(t, browser.Until(`window.holds || document.querySelector('main [role=alert] button')?.click()`))
	ada.CancelOrder(t, ada.ListOrders(t, "").Items[3].OrderNumber)
	page.Do(t, browser.Until("window.heard"))
	browser.Run[bool](t, page, `release(); return true`)
	reads(t, page, ".order-card:nth-child(4) .badge", "^You cancelled this order$")

	page.Do(t, browser.Until(`document.querySelectorAll('a.row-order').length >= 40`))
	toEnd()
	rows(t, page, 45)
	top := browser.Run[float64](t, page, `
		const row = document.querySelectorAll('a.row-order')[30];
		row.scrollIntoView();
		const top = scrollY;
		row.click();
		return top`)
	page.Do(t, see(".way"))
	browser.Run[bool](t, page, `scrollTo(0, 0); history.back(); return true`)
	rows(t, page, 45)
	page.Do(t, browser.Until(fmt.Sprintf("Math.abs(scrollY - %f) < 2", top)))
	at(t, page, "#/")
	page.Do(t, see("a.sale"))
	at(t, page, "#/orders")
	rows(t, page, 20)
}

// The filters are behind a button that counts those that apply, and paying is the primary button of a row.
func TestMyOrdersFoldTheirFilters(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{SKU: "lamp"}), "lamp", "k").Placed(t)
	page.Do(t, chromedp.EmulateViewport(390, 844), chromedp.Navigate(s.URL+"/#/orders"))
	rows(t, page, 1)
	reads(t, page, ".acts .go", "^Pay$")
	assert.Less(t, browser.Run[int](t, page, `return document.querySelector('.order-card').offsetHeight`), 160)
	reads(t, page, "#filters[aria-expanded=false]", "^Filter$")
	shown := func() bool {
		t.Helper()
		return browser.Run[bool](t, page, `return document.querySelector('#filters-form').offsetHeight > 0`)
	}
	assert.False(t, shown())
	page.Do(t, click("#filters"), see("#filter-name"), chromedp.SendKeys(chromedp.CSS("#filter-name"), "lamp\n"))
	reads(t, page, "#filters[aria-expanded=true]", `^Filter \(1\)$`)
	page.Do(t, click("#filters-none"))
	reads(t, page, "#filters", "^Filter$")
	assert.True(t, shown())
	page.Do(t, click("#filters"))
	assert.False(t, shown())
	page.Screenshot(t, "orders-phone")
}
