package browser_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A buyer sends an order to another address, an operator packs and ships it, and the buyer sees where it is.
func TestAnOrderIsSentElsewherePackedAndShipped(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	ada, op := s.Buyer(t, "ada"), s.Operator(t)
	address := func(detail string) string {
		body := map[string]any{"receiver": "Ada", "phone": "1", "region": "north", "detail": detail}
		return ada.Call(t, http.MethodPost, "/api/v1/addresses", "", body).JSON(t)["address_id"].(string)
	}
	home := address("1 Square")
	address("2 Square")
	order := func(key string) string {
		body := map[string]any{"items": []any{map[string]any{"sku_id": "lamp"}}, "address_id": home}
		placed := ada.Call(t, http.MethodPost, "/api/v1/orders", key, body).JSON(t)["orders"].([]any)
		return placed[0].(map[string]any)["order_number"].(string)
	}
	one, two := order("k1"), order("k2")

	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+one), click("#readdress"), see("dialog form"))
	loadAxe(t, page)("another address")
	page.Do(t, see("dialog input:checked"), click("dialog label:not(:has(input:checked)) input"))
	left := strconv.Quote(text(t, page, ".left"))
	page.Do(t, browser.Until(`document.querySelector('.left').innerText !== `+left), // the page is drawn each second
		click("dialog .go"), chromedp.WaitNotPresent(chromedp.CSS("dialog"), rarely))
	reads(t, page, ".facts", "2 Square")
	for _, number := range []string{one, two} {
		paid := op.Call(t, http.MethodPost, operators+"/orders/"+number+"/mark_paid", "",
			map[string]any{"reason": "Cash"})
		require.Equal(t, http.StatusOK, paid.Status, "%s", paid.Body)
	}

	page.Do(t, chromedp.Navigate(s.URL+"/admin#/order/"+one), click("#mark-pack"))
	reads(t, page, ".heading", "Packed")
	reads(t, page, ".facts", "Address until [^]*1 Square")
	page.Do(t, click("#mark-ship"))
	put(t, page, "carrier", "DHL")
	put(t, page, "tracking_number", "J1")
	page.Do(t, click("dialog .go"))
	reads(t, page, ".heading", "Shipped")

	at(t, page, "#/money/orders?fulfilment=unpacked")
	page.Do(t, browser.Until(`[...document.querySelectorAll('tbody a')].map((a) => a.innerText).join() === '`+two+`'`))
	file := filepath.Join(t.TempDir(), "parcels.csv")
	require.NoError(t, os.WriteFile(file,
		[]byte("order_number;carrier;tracking_number\n"+two+";DHL;J2\n"+one+";;\n"), 0o600))
	page.Do(t, chromedp.SetUploadFiles("#ship-chooser", []string{file}), see("#ship-done"))
	reads(t, page, "dialog", "Orders marked: 1[^]*refused: 1[^]*Line 3: carrier")
	assert.Empty(t, page.Errors())

	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+one))
	reads(t, page, ".order", "It is on its way to you[^]*DHL[^]*J1")
	assert.Equal(t, 0, browser.Run[int](t, page, `return document.querySelectorAll('#readdress').length`))
	at(t, page, "#/orders")
	reads(t, page, ".order-card .badge", "^On its way$")
	assert.Empty(t, page.Errors())
}
