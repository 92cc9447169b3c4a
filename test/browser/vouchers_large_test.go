//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

// A paid order waits for a partner's codes: Today, its page in the console, its buyer's page and the shop say so, until
// the codes are imported.
func TestAnOrderThatWaitsForCodesSaysSoOnEachPage(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900})
	op, ada := s.Operator(t), s.Buyer(t, "ada")
	imports := func(codes ...string) {
		t.Helper()
		a := op.Call(t, http.MethodPost, operators+"/skus/spa/vouchers:import", codes[0],
			map[string]any{"codes": codes[1:]})
		require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	}
	imports("none")
	order := ada.Buy(t, sale, "spa", "k").Placed(t).OrderNumber
	s.Drain(t)
	payment := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn-spa", Amount: 900,
		Currency: "CNY",
	}
	s.Money(t, payment)
	told, err := s.Notify(t.Context(), payment)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	require.Equal(t, http.StatusNotFound, ada.Call(t, http.MethodGet, "/api/v1/orders/7", "", nil).Status)

	page.Do(t, chromedp.Reload(), see(".attention"))
	reads(t, page, ".attention", "Paid orders wait for codes of spa: 1")
	at(t, page, "#/order/"+order)
	reads(t, page, ".heading", "Paid\\s+Waits for a code")
	reads(t, page, ".no-code", "^Paid, but no code is left for [Ss]pa\\.\\s+Import codes$")
	reads(t, page, ".items", "1 code is missing")
	page.Screenshot(t, "console-order-waits")
	page.Do(t, click(".facts a[href='#/user/ada']"), see("tbody code"))
	reads(t, page, "main", "There is no such order[^]*"+order)
	page.Screenshot(t, "console-user")
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see(".order"))
	reads(t, page, ".after", "^Your code is on its way: it appears below.$")
	page.Screenshot(t, "order-waits")
	imports("some", "PARTNER-1")
	page.Do(t, chromedp.Reload(), see(".voucher code"))
	reads(t, page, ".voucher code", "^PARTNER-1$")
	complete(t, page, "order")
	require.Empty(t, page.Errors())
}
