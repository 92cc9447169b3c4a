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
)

// An operator selects orders, sees what goes back, and sees which was refused.
func TestAnOperatorRefundsManyOrdersAtOnce(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	harp, bell, drum := paid(t, s, "harp", 900), paid(t, s, "bell", 250), paid(t, s, "drum", 100)
	op := s.Operator(t)
	partly := op.Call(t, http.MethodPost, operators+"/orders/"+harp+"/refund", "k", map[string]any{"amount": 300})
	require.Equal(t, http.StatusAccepted, partly.Status)
	at(t, page, "#/money/orders")
	page.Do(t, see("#select-all"), click("#select-all"))
	reads(t, page, ".selection", `Selected: 3\. To refund: ¥9\.50\.`)
	page.Do(t, click(`[aria-label="Select order `+drum+`"]`))
	reads(t, page, ".selection", `Selected: 2\. To refund: ¥8\.50\.`)
	reads(t, page, "tbody", `¥9\.00\s+−¥3\.00 refunded`)
	page.Screenshot(t, "console-orders-selected")
	page.Do(t, click("#refund-selected"))
	reads(t, page, "dialog", `goes back: ¥8\.50 in all\.`)
	reads(t, page, "dialog .go", `^Refund ¥8\.50 to 2 orders$`)
	page.Screenshot(t, "console-orders-refund")
	rest := op.Call(t, http.MethodPost, operators+"/orders/"+harp+"/refund", "rest", map[string]any{})
	require.Equal(t, http.StatusAccepted, rest.Status, "somebody else refunds it meanwhile")
	put(t, page, "reason", "The sale was withdrawn.")
	page.Do(t, click("dialog .go"), see("#refund-results"))
	reads(t, page, "dialog", `1 order refunded\.[^]*Orders refused: 1\.\s+`+harp+`: The order is refunded already\.`)
	assert.Empty(t, text(t, page, ".toast"), "one of them was refused")
	page.Screenshot(t, "console-orders-results")
	for order, want := range map[string]string{harp: "refunded", bell: "refunded", drum: "paid"} {
		assert.Equal(t, want, op.Call(t, http.MethodGet, operators+"/orders/"+order, "", nil).JSON(t)["status"])
	}
	page.Do(t, click("dialog > .go"))
	reads(t, page, ".selection", "Select paid orders")
	at(t, page, "#/money/orders?status=refunded")
	page.Do(t, see("tbody tr"))
	assert.NotContains(t, text(t, page, ".selection"), "Select paid orders", "none of these can be selected")
	assert.Empty(t, page.Errors())
}

// One line of an order is refunded by its units; the dialog says what the buyer gets.
func TestAnOperatorRefundsALine(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	for sku, price := range map[string]int64{"cup": 500, "pot": 2000} {
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: sku, Title: sku, Shop: "shop", Kind: catalogue.Virtual, Price: price, Currency: "CNY", Stock: 10,
		})
		require.NoError(t, err)
	}
	ada := s.Buyer(t, "ada")
	placed := ada.Call(t, http.MethodPost, "/api/v1/orders", "k", map[string]any{
		"items": []map[string]any{{"sku_id": "cup", "quantity": 3}, {"sku_id": "pot", "quantity": 1}},
	})
	require.Equal(t, http.StatusCreated, placed.Status, "%s", placed.Body)
	order := placed.JSON(t)["orders"].([]any)[0].(map[string]any)["order_number"].(string)
	payment := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn",
		Amount: 3500, Currency: "CNY",
	}
	s.Money(t, payment)
	told, err := s.Notify(t.Context(), payment)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)

	at(t, page, "#/order/"+order)
	page.Do(t, click("#refund-cup"))
	reads(t, page, "dialog .sum", `¥5\.00`)
	put(t, page, "units_cup", "2")
	reads(t, page, "dialog .sum", `¥10\.00`)
	page.Screenshot(t, "console-order-line")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	assert.EqualValues(t, 1000, orderOf(t, ada, order)["refunded_amount"])
	page.Do(t, click("#refund"))
	reads(t, page, "dialog .sum", "^Nothing goes back yet\\.$")
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('[name=force]'))`), "no vouchers")
	page.Do(t, click("[name=what][value=units]"))
	assert.Equal(t, "1", browser.Run[string](t, page, `return document.querySelector('[name=units_cup]').max`),
		"two of three cups went back")
	page.Do(t, click("dialog .steps button:last-child"))
	reads(t, page, "dialog .sum", `¥5\.00`)
	put(t, page, "amount", "7.5")
	reads(t, page, "dialog .sum", `¥7\.50`)
	reads(t, page, "dialog .go", `^Refund ¥7\.50$`)
	page.Do(t, see("[name=restock]:disabled"), click("[name=what][value=all]"), see("[name=restock]:enabled"))
	reads(t, page, "dialog .go", `^Refund ¥25\.00$`)
	assert.Empty(t, page.Errors())
}

// On phones the fields of a long filter are folded away, unless one is set.
func TestPhonesFoldTheFiltersOfTheConsole(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	page.Do(t, chromedp.EmulateViewport(390, 844))
	shown := func() bool {
		return browser.Run[bool](t, page, `return document.querySelector('[name=status]').checkVisibility()`)
	}
	at(t, page, "#/money/orders")
	reads(t, page, ".fold-filters", "^Filter$")
	assert.False(t, shown())
	page.Do(t, click(".fold-filters"), see("[name=status]"))
	put(t, page, "status", "paid")
	reads(t, page, ".fold-filters", `^Filter \(1\)$`)
	page.Do(t, click(".fold-filters"))
	assert.False(t, shown())
	at(t, page, "#/money/payments?status=paid")
	reads(t, page, ".fold-filters", `^Filter \(1\)$`)
	assert.True(t, shown(), "the filters that are set are shown")
}
