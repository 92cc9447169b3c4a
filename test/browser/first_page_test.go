package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The first page says what this is, what runs and what comes next, and has one primary button. Where nothing runs it
// says how a sale works; sales that are sold out or over come last, in grey.
func TestTheFirstPageSaysWhatThisIsAndWhatRuns(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	cards := func(selector string) []string {
		t.Helper()
		return browser.Run[[]string](t, page, `return [...document.querySelectorAll('a.sale')]
			.filter((card) => card.matches('`+selector+`'))
			.map((card) => card.hash.slice('#/sale/'.length).split('?')[0])`)
	}
	page.Do(t, chromedp.Navigate(s.URL+"/"))
	reads(t, page, "h1", "^Flash sales: few units, low prices$")
	reads(t, page, ".how", `Be there at the start[^]*Buy with one button[^]*Pay in time`)
	reads(t, page, ".empty", "No sale is open now")
	coming := s.Open(t, site.Sale{SKU: "later", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	page.Do(t, chromedp.Reload(), see("a.sale"))
	assert.Equal(t, []string{coming}, cards(":has(.go)"))
	running := s.Open(t, site.Sale{SKU: "now"})
	over := s.Open(t, site.Sale{SKU: "over", EndsIn: 2 * time.Second})
	gone := s.Open(t, site.Sale{SKU: "gone", Stock: map[string]int64{"0": 1}})
	s.Buyer(t, "bob").Buy(t, gone, "gone", "k").Placed(t)
	page.Do(t, chromedp.Reload(), browser.Until(`document.querySelectorAll('.past').length === 2 &&
		document.querySelector('.past').hash.endsWith('`+gone+`')`))
	reads(t, page, "main .go", "^Go to the sale$")
	assert.Equal(t, []string{running}, cards(":has(.go)"))
	assert.Equal(t, []string{running, coming, gone, over}, cards("*"))
	reads(t, page, "main", `^Flash sales\s+Running now[^]*Ends in[^]*−50%[^]*100 of 100 left[^]*Coming next[^]*`+
		`Starts in[^]*100 units\s+Set a reminder[^]*Sold out or over[^]*`+
		`Sold out[^]*Some may come back in the next 1[45] minutes\s+Wait for one[^]*Ended`)
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('.how').length`))
	assert.Equal(t, "N", browser.Run[string](t, page, `return document.querySelector('.letter').innerText`),
		"the first letter of Now")
	page.Do(t, chromedp.EmulateViewport(1280, 844))
	assert.True(t, browser.Run[bool](t, page, `
		const card = document.querySelector('.cards.single > :not(.lead)');
		const [row, whole, words, button] = [card.parentElement, card, ...card.querySelectorAll('.what, .button')]
			.map((part) => part.getBoundingClientRect());
		return whole.width < 0.6 * row.width && Math.abs(words.width - button.width - 32) < 2`),
		"a card without a picture takes half a row, and its button all of the card")
	loadAxe(t, page)("first page")
	page.Screenshot(t, "first-page")
	speak(t, page, "zh", s.URL+"/", "a.sale")
	reads(t, page, "main", "限时秒杀[^]*进行中[^]*5 折[^]*即将开始[^]*已售罄或已结束[^]*约 1[45] 分钟内可能补货\\s+等补货")
}
