package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A buyer calls, and says a phone number or a name.
func TestTheConsoleFindsOrdersByTheirReceiver(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	ada := s.Buyer(t, "ada")
	address := ada.CreateAddress(t, client.AddressRequest{
		Receiver: "Ada Lovelace", Phone: "+86 138-0013-8000", Region: "anywhere", Detail: "1 Main Street",
	})
	placed := ada.Submit(t, ada.Path(t, sale, "lamp"), "k", map[string]any{
		"quantity": 1, "address_id": address.AddressID,
	})
	require.Equal(t, http.StatusAccepted, placed.Status, string(placed.Body))
	order := placed.JSON(t)["order_number"].(string)
	s.Drain(t)
	for _, text := range []string{"13800138000", "138 0013 8000", "138000", "lovelace", "ada love"} {
		page.Do(t, click("#find"), chromedp.SendKeys(chromedp.CSS("#search"), text))
		if text == "lovelace" { // not the beginning
			reads(t, page, ".finder [role=status]", "Nothing was found")
			page.Do(t, chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('dialog')`))
			continue
		}
		reads(t, page, "#hits", `Order\s+Ada Lovelace, \+86 138-0013-8000\s+`+order)
		page.Screenshot(t, "console-search-receiver")
		page.Do(t, click("#hit-0"), see(".facts"))
		assert.Contains(t, page.At(t), "#/order/"+order)
		reads(t, page, ".facts", `\+86 138-0013-8000`)
		at(t, page, "#/money/orders")
		reads(t, page, "tbody", `Ada Lovelace, \+86 138-0013-8000`)
	}
	page.Screenshot(t, "console-orders-receiver")
	assert.Empty(t, page.Errors())
}
