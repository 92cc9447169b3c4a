package browser_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The filters of the orders are in the address: a link shows the same orders, and so does the way back.
func TestTheFiltersOfOrdersAreInTheAddress(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	harp := paid(t, s, "harp", 900)
	bell := s.Open(t, site.Sale{SKU: "bell"})
	bob := s.Buyer(t, "bob").Buy(t, bell, "bell", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	const shown = `[...document.querySelectorAll('tbody a')].map((link) => link.innerText).join()`
	shows := func(orders string) {
		t.Helper()
		page.Do(t, browser.Until(shown+` === '`+orders+`'`))
	}
	at(t, page, "#/money/orders")
	shows(bob + "," + harp)
	page.Do(t, browser.Until(`document.querySelector('[name=activity_id] option[value="`+bell+`"]')`))
	put(t, page, "activity_id", bell)
	shows(bob)
	put(t, page, "activity_id", "")
	put(t, page, "sku_id", "bell")
	shows(bob)
	put(t, page, "sku_id", "")
	put(t, page, "status", "paid")
	shows(harp)
	// Midnight may have passed since the order was placed.
	yesterday, today := time.Now().AddDate(0, 0, -1).Format(time.DateOnly), time.Now().Format(time.DateOnly)
	put(t, page, "from", yesterday)
	put(t, page, "to", today)
	shows(harp)
	_, query, _ := strings.Cut(page.At(t), "?")
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	assert.Equal(t, url.Values{"status": {"paid"}, "from": {yesterday}, "to": {today}}, values)

	page.Do(t, click("tbody a"), see(".facts"), chromedp.NavigateBack(), see("tbody a"))
	shows(harp)
	assert.Equal(t, "paid", value(t, page, "status"))
	put(t, page, "from", "")
	put(t, page, "to", time.Now().AddDate(0, 0, -2).Format(time.DateOnly))
	page.Do(t, see(".empty"))
	reads(t, page, ".empty", "No stored order has these properties.")
	put(t, page, "to", today)
	shows(harp)
	page.Do(t, click(`.tabs a[href="#/money/orders"]`), browser.Until(`location.hash === '#/money/orders'`))
	shows(bob + "," + harp)
	assert.Empty(t, value(t, page, "status"), "the address has no filter any more")
	answers(t, page, map[string]string{`\/orders`: "throw 0"})
	put(t, page, "status", "paid")
	page.Do(t, see("main .problem"))
	shows("") // not the orders of the filter before
	answers(t, page, nil)
	page.Do(t, click("main .problem button"))
	shows(harp)
	at(t, page, "#/money/orders?room_id=r-1")
	page.Do(t, see("[name=room_id]"))
	assert.Equal(t, "r-1", value(t, page, "room_id"), "a filter that is set is not folded away")
	assert.Empty(t, page.Errors())
}

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
	page.Screenshot(t, "console-orders-selected")
	page.Do(t, click("#refund-selected"))
	reads(t, page, "dialog", `The buyer gets ¥8\.50 back\.`)
	page.Screenshot(t, "console-orders-refund")
	rest := op.Call(t, http.MethodPost, operators+"/orders/"+harp+"/refund", "rest", map[string]any{})
	require.Equal(t, http.StatusAccepted, rest.Status, "somebody else refunds it meanwhile")
	put(t, page, "reason", "The sale was withdrawn.")
	page.Do(t, click("dialog .go"), see("#refund-results"))
	reads(t, page, "dialog", `Orders refunded: 1\.[^]*Orders refused: 1\.\s+`+harp)
	page.Screenshot(t, "console-orders-results")
	for order, want := range map[string]string{harp: "refunded", bell: "refunded", drum: "paid"} {
		assert.Equal(t, want, op.Call(t, http.MethodGet, operators+"/orders/"+order, "", nil).JSON(t)["status"])
	}
	page.Do(t, click("dialog > .go"))
	reads(t, page, ".selection", "Select paid orders")
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
	reads(t, page, "dialog .sum", `¥25\.00`)
	put(t, page, "amount", "7.5")
	reads(t, page, "dialog .sum", `¥7\.50`)
	assert.Empty(t, page.Errors())
}
