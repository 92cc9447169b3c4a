//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A buyer takes another variant on the page of the order, and is told so; what is sold out meanwhile is refused.
func TestABuyerSwapsAVariant(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{SKU: "red", Others: []string{"blue"}, Stock: map[string]int64{"0": 1}})
	buy := func(user, sku string) string {
		buyer := s.Buyer(t, user)
		path := site.Read[client.Path](t, http.StatusOK, buyer.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": id, "sku_id": sku})).Path
		answer := buyer.Submit(t, path, "k-"+sku, map[string]any{"quantity": 1})
		require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
		return site.Read[client.Submitted](t, http.StatusAccepted, answer).OrderNumber
	}
	order := buy("ada", "red")
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), click("#swap"), see("dialog form"))
	loadAxe(t, page)("another variant")
	page.Do(t, click("dialog input[value=blue]"), click("dialog .go"), see("#swapped"))
	reads(t, page, "#swapped", "Changed: your order is now for")
	sku := func() string {
		return site.Read[client.Order](t, http.StatusOK,
			s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil)).Items[0].SKUID
	}
	assert.Equal(t, "blue", sku())

	page.Do(t, click("#swap"), see("dialog input[value=red]"))
	buy("bob", "red")
	page.Do(t, click("dialog input[value=red]"), click("dialog .go"))
	page.Do(t, browser.Until(`document.querySelector("dialog [role=alert]")?.innerText.trim()`))
	assert.Equal(t, "blue", sku(), "the order keeps what it has")
}
