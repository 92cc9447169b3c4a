//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
)

// tabTo presses Tab until an element has the focus, and checks that each one on the way shows it.
func tabTo(t *testing.T, page *browser.Page, selector string) {
	t.Helper()
	for range 60 {
		page.Do(t, chromedp.KeyEvent(kb.Tab))
		assert.Empty(t, browser.Run[string](t, page, `
			const at = document.activeElement;
			if (at === document.body) return '';
			const { outlineStyle, outlineWidth } = getComputedStyle(at);
			const seen = at.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
			return seen ? '' : at.outerHTML;`),
			"the focus can't be seen")
		if focused(t, page, selector) {
			return
		}
	}
	require.Fail(t, "Tab does not reach it", selector)
}

// A buyer who has no mouse buys a voucher in the sale of the demo shop and pays for it.
func TestABuyerBuysAndPaysWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	require.NoError(t, s.Server.Demo(t.Context()))
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	tabTo(t, page, "a.skip")
	page.Do(t, chromedp.KeyEvent(kb.Enter))
	assert.True(t, focused(t, page, "main"), "past the navigation")
	tabTo(t, page, "a.sale")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("#buy"))

	tabTo(t, page, "input[name=sku]")
	page.Do(t, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	require.True(t, focused(t, page, "input[value=spa-voucher]:checked"))
	tabTo(t, page, "#buy")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("dialog #place"))
	assert.True(t, focused(t, page, "dialog *"), "the focus goes into the dialog")
	page.Do(t, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotPresent(chromedp.CSS("dialog")))
	assert.True(t, focused(t, page, "#buy"), "the focus comes back")
	page.Do(t, chromedp.KeyEvent(" "), see("dialog #place"))
	if !focused(t, page, "#place") {
		tabTo(t, page, "#place")
	}
	page.Do(t, chromedp.KeyEvent(" "), see(".way .stored.done"))

	tabTo(t, page, "section.pay #pay")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("#actions"))
	tabTo(t, page, "#actions #pay")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see(".way .paid.done"), see(".voucher code"))
}

// An operator who has no mouse pauses a job, and blocks a user in a dialog.
func TestAnOperatorUsesTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	tabTo(t, page, `nav a[href="#/jobs"]`)
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("#pause-audit"))
	tabTo(t, page, "#pause-audit")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("dialog"))
	tabTo(t, page, "dialog .go")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("#resume-audit"))
	assert.True(t, focused(t, page, "#resume-audit"), "the focus stays")
	page.Do(t, chromedp.KeyEvent(" "), see("#pause-audit"))

	at(t, page, "#/blocked")
	page.Do(t, see("#block"))
	tabTo(t, page, "#block")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("dialog"))
	assert.True(t, focused(t, page, "dialog *"), "the focus goes into the dialog")
	page.Do(t, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotPresent(chromedp.CSS("dialog")))
	assert.True(t, focused(t, page, "#block"), "the focus comes back")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("dialog"))
	for _, field := range [][]string{{"subject", "mallory"}, {"reason", "resells"}} {
		tabTo(t, page, "dialog [name="+field[0]+"]")
		page.Do(t, chromedp.KeyEvent(field[1]))
	}
	page.Do(t, chromedp.KeyEvent(kb.Enter), chromedp.WaitNotPresent(chromedp.CSS("dialog")))
	reads(t, page, "table", "mallory")
	blocked := s.Operator(t).Call(t, http.MethodGet, operators+"/blocked/user:mallory", "", nil).JSON(t)
	assert.Equal(t, "resells", blocked["reason"])
	assert.Empty(t, page.Errors())
}
