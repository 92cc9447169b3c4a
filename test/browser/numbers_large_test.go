//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// On a narrow phone, what stands beside the number of an order goes below it. The page of the order has the number in
// groups, and copies it whole.
func TestANumberBreaksNowhereAndIsCopiedWhole(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{}), "sku", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	page.Do(t, chromedp.EmulateViewport(300, 844))
	at(t, page, "#/money/orders")
	page.Do(t, see("td.lead a"))
	assert.Equal(t, 1, browser.Run[int](t, page, `return document.querySelector('td.lead a').getClientRects().length`))
	page.Do(t, click("td.lead a"))
	reads(t, page, "h1", "^Order$")
	reads(t, page, "#titled-code", "^"+order+"$")
	assert.Equal(t, (len(order)+3)/4, count(t, page, "#titled-code span"))
	browser.Run[bool](t, page, `
		const value = { writeText: async (text) => { window.copied = text; } };
		Object.defineProperty(navigator, 'clipboard', { value });
		return true`)
	page.Do(t, click("#copy-code"))
	reads(t, page, ".toast", "Copied")
	assert.Equal(t, order, browser.Run[string](t, page, `return window.copied`))
}
