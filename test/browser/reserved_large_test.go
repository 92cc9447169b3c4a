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
	"onrush/modules/api"
	"onrush/modules/seckill/gates/eligible"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// An operator reserves units in the form of a draft, and sees on the live page how many are left of them.
func TestTheConsoleReservesUnits(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true, Stock: map[string]int64{"0": 50}})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	page.Do(t, click("#reserved summary"))
	put(t, page, "reserved-0", "60")
	page.Do(t, click("#save"), see("#wrong"))
	put(t, page, "reserved_claim", "tier=gold")
	put(t, page, "reserved_until", time.Now().Add(100*time.Minute).Format("2006-01-02T15:04:05"))
	page.Do(t, click("#save"), see("#wrong"))
	reads(t, page, "#reserved", "more than the stock point has")
	put(t, page, "reserved-0", "20")
	page.Do(t, click("#save"), see("#saved"))
	reserved, _ := activity(t, s, id)["reserved_for"].(map[string]any)
	assert.Equal(t, map[string]any{"name": "tier", "values": []any{"gold"}}, reserved["claim"])

	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/publish", "", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), chromedp.Reload(), see("#reserved-left"))
	reads(t, page, "#reserved-left", "20 units")
}

// A buyer who comes when all but the reserved units are sold types a code, and buys one of these.
func TestABuyerWithACodeBuysAReservedUnit(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	until := time.Now().Add(20 * time.Minute).UnixMilli()
	id := s.Open(t, site.Sale{
		Stock: map[string]int64{"0": 2}, Reserved: []lua.Wave{{Point: "0", AtMS: until, Quantity: 1}},
		ReservedFor: eligible.ReservedFor{Until: api.Millis(until), Code: true},
	})
	codes := site.Read[client.MadeCodes](t, http.StatusCreated, s.Operator(t).Call(t, http.MethodPost,
		operators+"/activities/"+id+"/codes", "", map[string]any{"count": 1})).Codes
	first := s.Buyer(t, "first")
	path := site.Read[client.Path](t, http.StatusOK, first.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]any{"activity_id": id, "sku_id": "sku"})).Path
	require.Equal(t, http.StatusAccepted, first.Submit(t, path, "k", map[string]any{"quantity": 1}).Status)

	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"), see("#eligible"))
	reads(t, page, "#eligible", "1 units are reserved for certain buyers until")
	page.Do(t, browser.Until(`document.querySelector("form").textContent.includes("to buy as one of them")`))
	put(t, page, "code", codes[0])
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))
}
