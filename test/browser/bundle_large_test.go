//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator makes a bundle of two skus of a draft, and a buyer orders it: it takes the units of its parts.
func TestAnOperatorMakesABundleThatABuyerOrders(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s, console := openConsole(t, stores)
	id := s.Open(t, site.Sale{Draft: true, Others: []string{"tea", "cup"}})
	console.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	reads(t, console, "#bundles", `^Bundles\s+none$`)
	console.Do(t, click("#bundles summary"), click("#add-part-0"), click("#add-part-0"))
	put(t, console, "part-units-0-1", "2")
	console.Do(t, click("#save"), see("#saved"))
	parts := activity(t, s, id)["skus"].([]any)[0].(map[string]any)["parts"]
	assert.Equal(t, []any{
		map[string]any{"sku_id": "cup", "quantity": 2.0}, map[string]any{"sku_id": "tea", "quantity": 1.0},
	}, parts)
	put(t, console, "part-units-0-1", "2") // they are ordered by sku now
	console.Do(t, click("#save"), see("#saved"))
	put(t, console, "price-0", "1.01")
	console.Do(t, click("#save"), see("#wrong-price-0"))
	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/publish", "", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)

	shop, page := openShop(t, stores)
	page.Do(t, chromedp.Navigate(shop.URL+"/#/sale/"+id), see("#buy"))
	page.Do(t, browser.Until(`document.querySelector(".sku .parts").textContent.includes("2 × Cup, 2 × Tea")`))
	page.Do(t, browser.Until(`document.querySelector(".sku.chosen").textContent.includes("50")`))
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"), see(".bundle"))
	left := site.Stock(t, stores, id)
	assert.Equal(t, []string{"98", "98"}, []string{left["cup"], left["tea"]})
	assert.NotContains(t, left, "sku", "the bundle has no stock")
}

// A bundle of which a part is sold out is sold out in the shop, while its other part can be bought.
func TestABundleIsSoldOutInTheShopWithOneOfItsParts(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{
		Others: []string{"tea"}, Stock: map[string]int64{"0": 3},
		Parts: seckill.Parts{{SKU: "sku", Quantity: 1}, {SKU: "tea", Quantity: 2}},
	})
	sold := s.Buyer(t, "other").Submit(t, s.Buyer(t, "other").Path(t, id, "tea"), "key", map[string]any{"quantity": 2})
	require.Equal(t, http.StatusAccepted, sold.Status, "%s", sold.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see(".skus"))
	state := func(title string) string {
		return `[...document.querySelectorAll(".sku")]` +
			`.find((sku) => sku.textContent.includes("` + title + `")).textContent`
	}
	page.Do(t, browser.Until(state("Set")+`.includes("Sold out")`))
	page.Do(t, browser.Until(`!`+state("Sku")+`.includes("Sold out")`))
}

// An operator reads beside the parts of a bundle why it can't be saved.
func TestTheFormSaysAtItsPartsWhyABundleCanNotBeSold(t *testing.T) {
	t.Parallel()
	s, console := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true, Others: []string{"tea", "cup"}})
	console.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	console.Do(t, click("#bundles summary"), click("#add-part-0"), click("#save"), see("#wrong"), see("#wrong-parts-0"))
	reads(t, console, "#wrong-parts-0", "2 to 9")
}
