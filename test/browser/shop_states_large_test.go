//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// Each view says that it loads, that its read failed and may be tried again, that the reader may not see it, and that
// there is nothing yet, with the first step.
func TestEachViewOfTheShopIsEmptyLoadingFailedOrForbidden(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	page.Do(t, chromedp.Navigate(s.URL+"/#/addresses"), see("#new-address"))
	basket := func(items string) {
		t.Helper()
		browser.Run[bool](t, page, `localStorage.setItem('basket', '`+items+`'); return true`)
	}
	views := []struct{ address, read, empty, sign string }{
		{"#/", "GET /api/v1/activities", "No sale is open now", "a.sale"},
		{"#/goods", "GET /api/v1/skus", "Nothing is on sale outside", ".cards li"},
		{"#/basket", "GET /api/v1/skus/", "The basket is empty", ".basket-line"},
		{"#/orders", `GET /api/v1/orders\?`, "No orders yet", "a.row-order"},
		{"#/order/", "GET /api/v1/orders/", "", ".way"},
	}
	for _, v := range views {
		if v.empty != "" {
			at(t, page, v.address)
			reads(t, page, "main .empty", v.empty)
			page.Do(t, see("main .empty .icon"))
		}
		at(t, page, "#/addresses")
		page.Do(t, see("#new-address"))
	}

	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Virtual})
	order := s.Buyer(t, "ada").Buy(t, sale, "lamp", "k").Placed(t).OrderNumber
	s.Drain(t)
	basket(`[{"sku_id":"lamp","title":"Lamp","kind":"virtual","quantity":1}]`)
	views[4].address += order
	for _, v := range views {
		refusing(t, page, v.read, "")
		at(t, page, v.address)
		reads(t, page, "main [role=status]", "^Loading …$")
		at(t, page, "#/addresses")
		page.Do(t, see("#new-address"))

		refusing(t, page, v.read, "unavailable")
		at(t, page, v.address)
		reads(t, page, "main [role=alert]", `^This does not work for a moment[^]*Try again`)
		refusingUntilClick(t, page, "main [role=alert] button")
		page.Do(t, browser.Until(`document.querySelector("`+v.sign+`")`))
		at(t, page, "#/addresses")
		page.Do(t, see("#new-address"))

		refusing(t, page, v.read, "forbidden")
		at(t, page, v.address)
		reads(t, page, "main [role=alert]", `^You may not do this.[^]*Sign in with another token`)
		refusingNone(t, page)
		at(t, page, "#/addresses")
		page.Do(t, see("#new-address"))
	}
	at(t, page, "#/order/123")
	reads(t, page, "main [role=alert]", "does not exist")
}
