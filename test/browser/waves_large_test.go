//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// An operator plans a wave in the form of a draft and opens it on the live page of the sale.
func TestTheConsolePlansAWaveAndOpensIt(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true, Stock: map[string]int64{"0": 50}})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	reads(t, page, "#waves", `^Waves none$`)
	page.Do(t, click("#waves summary"), click("#add-wave-0"))
	put(t, page, "wave-units-0-0", "60")
	page.Do(t, click("#save"), see("#wrong"), see("#wrong-waves-0"))
	put(t, page, "wave-units-0-0", "20")
	reads(t, page, "#waves", "Sold from the start: 30 of 50")
	page.Do(t, click("#save"), see("#saved"))
	wavesOf := func() []any {
		skus, _ := activity(t, s, id)["skus"].([]any)
		sku, _ := skus[0].(map[string]any)
		waves, _ := sku["waves"].([]any)
		return waves
	}
	require.Len(t, wavesOf(), 1)
	planned, _ := wavesOf()[0].(map[string]any)
	assert.EqualValues(t, 20, planned["quantity"])

	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/publish", "", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), chromedp.Reload(), see("#next-wave"))
	reads(t, page, "#next-wave", `Next wave: 20 units in [0-9:]+`)
	page.Do(t, browser.Until(`document.querySelector("#next-wave").textContent.includes("Not sold yet: 20")`))
	page.Do(t, click("#open-wave"), see("dialog"), click("dialog .go"))
	page.Do(t, browser.Until(`!document.querySelector("#next-wave")`))
	opened, _ := wavesOf()[0].(map[string]any)
	assert.NotEqual(t, planned["at"], opened["at"])

	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	reads(t, page, "#waves", "has opened")
}

// A buyer who comes when the open units are sold waits for the next wave, and buys when it opens.
func TestABuyerWaitsForTheNextWave(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	later := time.Now().Add(20 * time.Minute)
	id := s.Open(t, site.Sale{
		Stock: map[string]int64{"0": 2}, Waves: []lua.Wave{{Point: "0", AtMS: later.UnixMilli(), Quantity: 1}},
	})
	first := s.Buyer(t, "first")
	path := site.Read[client.Path](t, http.StatusOK, first.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]any{"activity_id": id, "sku_id": "sku"})).Path
	require.Equal(t, http.StatusAccepted, first.Submit(t, path, "k", map[string]any{"quantity": 1}).Status)

	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"))
	page.Do(t, browser.Until(`/^More units in 19:\d\d$/.test(document.querySelector("#buy").textContent.trim())`))
	reads(t, page, ".wave", "1 more")
	page.Do(t, click("#buy"))
	page.Do(t, browser.Until(`document.querySelector("form").textContent.includes("You wait for the next")`))
	answer := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+id, "", map[string]any{
		"skus": []any{map[string]any{"sku_id": "sku", "waves": []any{}}},
	})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	page.Do(t, see("#place"), click("#place"), see(".way .stored.done"))
}
