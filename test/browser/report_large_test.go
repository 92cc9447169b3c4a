//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator closes a sale, opens its report from the list, and reads what it earned, also on paper.
func TestAnOperatorReadsAndPrintsTheReportOfAClosedSale(t *testing.T) {
	t.Parallel()
	s, console := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900, PurchaseLimit: 1})
	ada := s.Buyer(t, "ada")
	order := ada.Buy(t, sale, "spa", "k").JSON(t)["order_number"].(string)
	require.Equal(t, http.StatusConflict, ada.Buy(t, sale, "spa", "k2").Status)
	s.Drain(t)
	paid := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn-1", Amount: 900,
		Currency: "CNY",
	}
	s.Money(t, paid)
	told, err := s.Notify(t.Context(), paid)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	s.Job(t, "flush_answer_counters")

	at(t, console, "#/live/"+sale)
	console.Do(t, see(".tabs"))
	report := browser.Run[string](t, console, `return document.querySelector('.tabs [href^="#/report"]').hash`)
	assert.Equal(t, "#/report/"+sale, report)
	closed := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+sale+"/offline", "", nil)
	require.Equal(t, http.StatusOK, closed.Status)
	at(t, console, "#/sales")
	console.Do(t, click(`a[href="#/report/`+sale+`"]`))
	reads(t, console, "#figure-report_net", "9.00")
	reads(t, console, "#figure-paid_units", "of 100")
	reads(t, console, "#report-span", `^\w+ \d+, [^–]*– closed before its planned end, \w+`)
	reads(t, console, "#figure-refunded", `0 orders in full`)
	reads(t, console, "#figure-report_peak", "1")
	reads(t, console, "#traffic", "purchase_limit")
	assert.False(t, browser.Run[bool](t, console, `return Boolean(document.querySelector('#unsettled'))`))
	browser.Run[bool](t, console, `window.print = () => { window.printed = true; }; return true`)
	console.Do(t, click("#print"), browser.Until(`window.printed`))

	console.Screenshot(t, "report")
	console.Paper(t)
	assert.Equal(t, []bool{false, false, true}, browser.Run[[]bool](t, console, `
		return ['.top', '#print', '#figure-report_net'].map((s) => document.querySelector(s).checkVisibility())`))
	answers(t, console, map[string]string{`\/report`: "body.settled = false"})
	at(t, console, "#/sales")
	at(t, console, "#/report/"+sale)
	reads(t, console, "#unsettled", `^The sale is not over: these figures may still change\.$`)
	assert.Empty(t, console.Errors())
}
