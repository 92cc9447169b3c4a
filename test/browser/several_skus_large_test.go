//go:build large

package browser_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator lets an order take two of three skus, and a buyer orders two of them at once.
func TestABuyerOrdersTwoSkusOfASaleAtOnce(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s, console := openConsole(t, stores)
	id := s.Open(t, site.Sale{Draft: true, Others: []string{"tea", "cup"}})
	console.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	put(t, console, "basket_max", "2")
	console.Do(t, click("#save"), see("#saved"))
	assert.EqualValues(t, 2, activity(t, s, id)["basket_max"])
	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/publish", "", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)

	shop, page := openShop(t, stores)
	page.Do(t, chromedp.Navigate(shop.URL+"/#/sale/"+id), see("#buy"), see("#also-tea"))
	page.Do(t, click("#also-tea"), click(".also .more"))
	page.Do(t, browser.Until(`document.querySelector("#also-cup").disabled`))
	page.Do(t, browser.Until(`document.querySelector("#cost").textContent.includes("3.00")`))
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))
	left := site.Stock(t, stores, id)
	assert.Equal(t, []string{"99", "98", "100"}, []string{left["sku"], left["tea"], left["cup"]})
}

// How much is left of each sku is said where it is added to an order, in the words of its card: many, few, or none. The
// bar appears once a tenth is sold.
func TestEachSkuOfAnOrderSaysHowManyAreLeft(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	shop, page := openShop(t, stores)
	id := shop.Open(t, site.Sale{Others: []string{"tea", "cup", "mug"}, BasketMax: 3, Stock: map[string]int64{"0": 12}})
	for sku, buyers := range map[string]int{"mug": 8, "tea": 11, "cup": 12} {
		for n := range buyers {
			shop.Buyer(t, fmt.Sprint("buyer-", n)).Buy(t, id, sku, fmt.Sprint(sku, n)).Placed(t)
		}
	}
	page.Do(t, chromedp.Navigate(shop.URL+"/#/sale/"+id), see("#buy"))
	for sku, is := range map[string]struct{ words, bar string }{
		"sku": {"^12 of 12 left$", ""},
		"mug": {"^4 of 12 left$", "bar half"},
		"tea": {"^Only 1 left$", "bar low"},
		"cup": {"^Sold out$", ""},
	} {
		other := "sku"
		if sku == "sku" {
			other = "tea"
		}
		page.Do(t, click(".sku input[value="+other+"]"))
		reads(t, page, "label.sku:has([value="+sku+"]) .stock", is.words)
		reads(t, page, ".also .sku:has(#also-"+sku+") .stock", is.words)
		assert.Equal(t, is.bar, browser.Run[string](t, page, `
			return document.querySelector('label.sku:has([value=`+sku+`]) .bar')?.className ?? ''`))
	}
}

// The order of two skus was placed, but no answer came. Though the buyer takes one out, the page still sends that
// order again, until it knows its number: with a path for one sku the server would place another.
func TestAnOrderOfTwoSkusWhoseAnswerIsLostIsNotPlacedTwice(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	shop, page := openShop(t, stores)
	id := shop.Open(t, site.Sale{Others: []string{"tea"}, BasketMax: 2})
	page.Do(t, chromedp.Navigate(shop.URL+"/#/sale/"+id), see("#buy"), see("#also-tea"), click("#also-tea"))
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await answered(url, options);
			if (String(url).endsWith('/submit')) throw new TypeError('the answer is lost');
			return answer;
		};
		window.mend = () => { window.fetch = answered; };
		return true`)
	page.Do(t, click("#buy"), see("#place"), click("#place"), see("form .problem"))
	page.Do(t, browser.Until(`document.querySelector("#also-tea").checked`), click("#also-tea"),
		browser.Until(`!document.querySelector("#also-tea").checked`))
	browser.Run[bool](t, page, `window.mend(); return true`)
	page.Do(t, click("#buy"), see(".way .stored.done"))
	left := site.Stock(t, stores, id)
	assert.Equal(t, []string{"99", "99"}, []string{left["sku"], left["tea"]})
}

// Units are taken off sale while a buyer confirms more of them. The refusal offers those that can be had, of all skus.
func TestABuyerWhoAsksForTooManyTakesWhatIsLeft(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	shop, page := openShop(t, stores)
	id := shop.Open(t, site.Sale{Others: []string{"tea"}, BasketMax: 2, Stock: map[string]int64{"0": 9}})
	page.Do(t, chromedp.Navigate(shop.URL+"/#/sale/"+id), see("#buy"), click("#also-tea"))
	for range 6 {
		page.Do(t, click(".quantity .more"), click(".also .more"))
	}
	page.Do(t, click("#buy"), see("#place"))
	for sku, fewer := range map[string]int{"sku": -4, "tea": -7} {
		answer := shop.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/stock", "fewer-"+sku,
			map[string]any{"sku_id": sku, "point_id": "0", "delta": fewer})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	page.Do(t, click("#place"))
	reads(t, page, ".verdict", `You asked for\s+Left\s+Sku\s+7\s+5\s+Tea\s+7\s+2\s+Nothing was bought\.`+
		`\s+Take these · ¥7\.00`)
	reads(t, page, ".verdict h1", "^Fewer are left$")
	loadAxe(t, page)("verdict take")
	page.Do(t, see(".verdict .sign.due"))
	page.Screenshot(t, "verdict-take")
	page.Do(t, click("#take"), see("#place"), click("#place"), see(".way .stored.done"))
	left := site.Stock(t, stores, id)
	assert.Equal(t, []string{"0", "0"}, []string{left["sku"], left["tea"]})
}
