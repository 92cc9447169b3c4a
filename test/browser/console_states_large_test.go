//go:build large

package browser_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// unread are what a view shows while an answer is on its way, and after one that has no view.
var unread = map[string]struct{ answer, sign, text string }{
	"loading":   {`new Promise(() => {})`, `main [role=status]`, "Loading"},
	"failed":    {problemAnswer(503, "unavailable"), `main .problem`, ""},
	"forbidden": {problemAnswer(403, "forbidden"), `main .problem`, "not an operator's"},
}

func problemAnswer(status int, code string) string {
	return `Promise.resolve(new Response('{"code":"` + code + `","status":` + strconv.Itoa(status) + `}', {
		status: ` + strconv.Itoa(status) + `, headers: { 'Content-Type': 'application/problem+json' } }))`
}

// Each view of the console says that it is loading, that it failed, or that the operator may not see it.
func TestEachViewOfTheConsoleSaysWhatItCannotShow(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	views := []string{
		"#/sales", "#/live/1", "#/report/1", "#/edit/1", "#/edit", "#/money/orders", "#/money/payments",
		"#/money/refunds",
		"#/money/refunds?refund_number=1", "#/order/1", "#/payment/1", "#/voucher/1", "#/goods", "#/goods?sku_id=1",
		"#/points", "#/points?point_id=1", "#/queue", "#/jobs", "#/endpoints", "#/deliveries/1", "#/blocked",
		"#/changes", "#/keys", "#/settings", "#/user/1", "#/",
	}
	for name, state := range unread {
		forget := page.Before(t, `
			const real = window.fetch;
			const later = window.setTimeout;
			window.setTimeout = (act, ms, ...values) => later(act, ms > 100 && ms < 15_000 ? 20 : ms, ...values);
			window.fetch = (url, options) => String(url).includes('/admin/api/') ? `+
			state.answer+` : real(url, options);`)
		sign := `document.querySelector('` + state.sign + `')`
		page.Do(t, chromedp.Reload(), browser.Until(sign))
		for _, view := range views {
			// each view is drawn anew
			browser.Run[bool](t, page, `window.former = `+sign+`; location.hash = `+strconv.Quote(view)+`; return true`)
			page.Do(t, browser.Until(sign+` && `+sign+` !== window.former`))
			text := browser.Run[string](t, page, `return document.querySelector('main').innerText`)
			assert.Regexp(t, state.text, text, "%s of %s", name, view)
			assert.NotRegexp(t, `undefined|NaN|\[object`, text, "%s of %s", name, view)
		}
		forget()
	}
}

// Each view of the console says what would be there, where there is nothing yet.
func TestEachViewOfTheConsoleSaysThatItIsEmpty(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	order := s.Buyer(t, "ada").Buy(t, sale, "bell", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	payment := s.Buyer(t, "ada").Pay(t, "k", order).JSON(t)["pay_number"].(string)
	made := s.Operator(t).Call(t, http.MethodPut, operators+"/endpoints/erp", "",
		map[string]any{"url": "https://shop.example/onrush", "enabled": false})
	require.Less(t, made.Status, 300, "%s", made.Body)
	const none = `if (body.items) body.items = []`
	answers(t, page, map[string]string{
		`\/v1\/(activities|skus|points|orders|payments|refunds|endpoints|blocked|changes|jobs|keys)`: none,
		`\/(dead|deliveries|instances)`: none,
	})
	for view, text := range map[string]string{
		"#/sales":              "No sale yet. New sale makes a draft.",
		"#/edit":               "There are no goods yet. Make some first",
		"#/money/orders":       "No orders yet. Each order appears here once it is stored.",
		"#/money/payments":     "No payments yet. Each appears here once a buyer begins to pay.",
		"#/money/refunds":      "No refunds yet. Money that goes back to buyers appears here.",
		"#/order/" + order:     "Nothing was refunded.[^]*No notes.",
		"#/payment/" + payment: "Nothing is disputed.[^]*Nothing has happened yet.",
		"#/goods":              "No goods yet. A sale sells what is here.",
		"#/points":             "Main[^]*all regions that no point claims",
		"#/queue":              "queues are empty[^]*None. Orders that can't be stored",
		"#/jobs":               "No jobs.",
		"#/endpoints":          "No endpoints. Those that you add",
		"#/deliveries/erp":     "Nothing was sent yet.",
		"#/blocked":            "Nobody is blocked.",
		"#/changes":            "No changes yet. What operators do appears here.",
		"#/keys":               "No keys yet. New key makes one.",
		"#/live/" + sale:       "There is none: all buyers may try at once.",
		"#/":                   "All clear[^]*No sale is published.[^]*No instance has reported yet.",
	} {
		at(t, page, view)
		reads(t, page, "main", text)
	}
	assert.Empty(t, page.Errors())
}
