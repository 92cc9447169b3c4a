//go:build large

package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A buyer asks to be told of the start, and of units that return; the page still knows after a reload.
func TestABuyerIsRemindedOfTheStartAndOfUnits(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s, page := openShop(t, stores)
	coming := s.Open(t, site.Sale{StartsIn: 30 * time.Minute})
	s.Open(t, site.Sale{SKU: "now"})
	page.Do(t, chromedp.Navigate(s.URL+"/"), click(`a.sale[href*="`+coming+`"]`), see("#remind button"))
	assert.True(t, focused(t, page, "#remind button"), "the card of a sale that comes leads to its reminder")
	page.Do(t, click("#remind button"))
	reads(t, page, "#remind", "We'll remind you five minutes before the start.")
	page.Do(t, chromedp.Reload(), see("#remind"))
	reads(t, page, "#remind", "We'll remind you five minutes before the start.")
	page.Do(t, click("#remind button"))
	reads(t, page, "#remind", "Get a reminder five minutes before the start.")

	gone := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}})
	bob := s.Buyer(t, "bob")
	order := bob.Submit(t, bob.Path(t, gone, "sku"), "k", map[string]any{"quantity": 1}).Placed(t).OrderNumber
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+gone), see("#remind button"))
	reads(t, page, "#remind", `^Can't stay\? Get notified if it's back in stock\.\s+Notify me$`)
	page.Do(t, click("#remind button"))
	reads(t, page, "#remind", "We'll notify you if it's back in stock.")
	page.Do(t, chromedp.Reload(), see("#remind"))
	reads(t, page, "#remind", "We'll notify you if it's back in stock.")
	var waits int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &waits, `SELECT COUNT(*) FROM reminders
		WHERE kind = 'units' AND told_ms = 0`))
	assert.Equal(t, 1, waits)

	s.Drain(t)
	bob.CancelOrder(t, order)
	page.Do(t, browser.Until(`!document.querySelector("#remind")`))
}
