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
	"onrush/web/client"
)

// An operator reads what a room's buyers paid, by value and by day, and follows a value to its orders.
func TestAnOperatorReadsWhatRoomsEarned(t *testing.T) {
	t.Parallel()
	s, console := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900})
	for room, buyer := range map[string]string{"room-1": "ada", "room-2": "bob"} {
		b := s.Buyer(t, buyer)
		order := b.Submit(t, b.Path(t, sale, "spa"), "k", client.SubmitRequest{RoomID: room}).Placed(t).OrderNumber
		s.Drain(t)
		if room == "room-2" {
			continue
		}
		paid := site.Payment{
			Number: b.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn-1", Amount: 900,
			Currency: "CNY",
		}
		s.Money(t, paid)
		told, err := s.Notify(t.Context(), paid)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, told.Status)
	}
	at(t, console, "#/money/attribution")
	reads(t, console, "#attribution-total", `^2 orders from 2 values, net ¥9\.00\. Not in this list: 1 order\.$`)
	reads(t, console, "main table", "room-1")
	reads(t, console, "main section table", "9.00")
	console.Screenshot(t, "attribution")
	console.Do(t, chromedp.EmulateViewport(390, 844))
	assert.Contains(t, browser.Run[string](t, console, `
		return getComputedStyle(document.querySelector('main table td.end'), '::before').content`), "Net")
	console.Do(t, chromedp.EmulateViewport(1280, 844))
	put(t, console, "sort", "orders")
	reads(t, console, "main table", "room-2")
	console.Do(t, click(`a[href="#/money/orders?room_id=room-2"]`))
	reads(t, console, "main table", "bob")
	assert.Empty(t, console.Errors())
}
