package browser_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
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
		"#/sales", "#/live/1", "#/edit/1", "#/edit", "#/money/orders", "#/money/payments", "#/money/refunds",
		"#/money/refunds?refund_number=1", "#/order/1", "#/payment/1", "#/voucher/1", "#/goods", "#/goods?sku_id=1",
		"#/points", "#/points?point_id=1", "#/queue", "#/jobs", "#/endpoints", "#/deliveries/1", "#/blocked",
		"#/changes", "#/",
	}
	for name, state := range unread {
		page.Do(t, chromedp.Reload(), see(".attention, .problem"))
		browser.Run[bool](t, page, `
			const real = window.fetch;
			const later = window.setTimeout;
			window.setTimeout = (act, ms, ...values) => later(act, ms > 100 && ms < 15_000 ? 20 : ms, ...values);
			window.fetch = (url, options) => String(url).includes('/admin/api/') ? `+
			state.answer+` : real(url, options);
			return true`)
		for _, view := range views {
			at(t, page, view)
			page.Do(t, browser.Until(`location.hash === `+strconv.Quote(view)+` &&
				document.querySelector('`+state.sign+`')`))
			text := browser.Run[string](t, page, `return document.querySelector('main').innerText`)
			assert.Regexp(t, state.text, text, "%s of %s", name, view)
			assert.NotRegexp(t, `undefined|NaN|\[object`, text, "%s of %s", name, view)
		}
	}
}
