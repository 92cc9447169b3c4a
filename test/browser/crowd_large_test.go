//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A visitor sends a crowd of 1,000 into a sale of 100 units, and the page says what became of it.
func TestTheShopSendsACrowdAndShowsThatTheUnitsAddUp(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), click("#send-crowd"), see(".outcome"))
	reads(t, page, ".crowd [role=status]", "^1,000 buyers were sent into the sale.$")
	reads(t, page, "#send-crowd", "^1,000 buyers are buying …$")
	page.Do(t, see(".outcome.over"))
	for selector, text := range map[string]string{
		".crowd-numbers .bought dd": "^100$", ".crowd-numbers .refused dd": "^900$",
		".crowd-numbers .waiting dd": "^0$",
		".fact.sold.good dd":         "^100 of 100 ✓$", ".fact.drift.good dd": "^0 ✓$", ".fact.rate dd": `^\d`,
		".told": "Sold out", "#send-crowd": "^Send 1,000 more$",
		".crowd [role=status]": "^The crowd has left: 100 bought, 900 were refused, drift 0.$",
	} {
		reads(t, page, selector, text)
	}
	page.Screenshot(t, "crowd")
	assert.Empty(t, page.Errors())
}

// The page of another sale shows nothing of a crowd, and says why it can't send one; in Chinese, and through all gates.
func TestACrowdInAnotherSaleIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	gates := s.Open(t, site.Sale{SKU: "gates", PermitRatio: 2, PathsPerSecond: 20, HumanCheck: human.ProofOfWork})
	other := s.Open(t, site.Sale{SKU: "other"})
	browser.Run[bool](t, page, `localStorage.setItem('language', 'zh'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+gates), click("#send-crowd"), see(".outcome.running"),
		see(".told"), browser.Until(`document.querySelector('.crowd-numbers .bought dd').innerText > 10`))
	page.Screenshot(t, "crowd-gates")
	second := page.Tab(t, s.URL+"/#/sale/"+other)
	second.Do(t, click("#send-crowd"), see(".crowd .problem"))
	assert.Zero(t, browser.Run[int](t, second, `return document.querySelectorAll('.outcome').length`))
}
