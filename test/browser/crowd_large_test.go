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
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	assert.Zero(t, count(t, page, ".crowd"), "the demo's controls are in its menu")
	page.Do(t, click(".demo summary"))
	reads(t, page, "#send-crowd", "^Send 1,000 buyers$")
	page.Do(t, click("#send-crowd"), see(".outcome"))
	assert.False(t, browser.Run[bool](t, page, `return document.querySelector('.demo').open`))
	reads(t, page, ".crowd [role=status]", "^1,000 buyers were sent into the sale.$")
	reads(t, page, "#send-more", "^1,000 buyers are buying …$")
	page.Do(t, see(".outcome.over"))
	for selector, text := range map[string]string{
		".crowd-numbers .bought dd": "^100$", ".crowd-numbers .refused dd": "^900$",
		".crowd-numbers .waiting dd": "^0$",
		".fact.sold.good dd":         `^100 of 100\s✓$`, ".fact.drift.good dd": `^0\s✓$`, ".fact.rate dd": `^\d`,
		".told": "Sold out", "#send-more": "^Send 1,000 more$",
		".crowd .closed":       "^This sale takes no orders now",
		".crowd [role=status]": "^The crowd has left: 100 bought, 900 were refused, drift 0.$",
	} {
		reads(t, page, selector, text)
	}
	assert.Len(t, browser.Run[[]float64](t, page, `
		const tops = [...document.querySelectorAll('.crowd-numbers dd')].map((at) => at.getBoundingClientRect().top);
		return [...new Set(tops)]`), 1, "the figures stand on one line")
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
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+gates), see("#buy"), click(".demo summary"),
		click("#send-crowd"), see(".outcome.running"), see(".told"),
		browser.Until(`document.querySelector('.crowd-numbers .bought dd').innerText > 10`))
	page.Screenshot(t, "crowd-gates")
	second := page.Tab(t, s.URL+"/#/sale/"+other)
	second.Do(t, see("#buy"), click(".demo summary"), click("#send-crowd"), see(".crowd .problem"))
	assert.Zero(t, browser.Run[int](t, second, `return document.querySelectorAll('.outcome').length`))
}
