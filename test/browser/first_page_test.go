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

// The first page says what this is, how it works, what runs and what comes next, and has one primary button.
func TestTheFirstPageSaysWhatThisIsAndWhatRuns(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	goes := func(button, sale string) {
		t.Helper()
		reads(t, page, "main .go", "^"+button+"$")
		assert.Equal(t, []string{"#/sale/" + sale}, browser.Run[[]string](t, page,
			`return [...document.querySelectorAll('main .go')].map((go) => go.getAttribute('href'))`))
	}
	page.Do(t, chromedp.Navigate(s.URL+"/"))
	reads(t, page, "h1", "^Few units, low prices")
	reads(t, page, ".how", `Be there at the start[^]*Buy with one button[^]*Pay in time`)
	reads(t, page, ".empty", "No sale is open now")
	coming := s.Open(t, site.Sale{SKU: "later", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	page.Do(t, chromedp.Reload(), see("a.sale"))
	goes("See what comes next", coming)
	running := s.Open(t, site.Sale{SKU: "now"})
	page.Do(t, chromedp.Reload(), browser.Until(`document.querySelectorAll('a.sale').length === 2`))
	goes("See what runs now", running)
	reads(t, page, "main", `Running now[^]*Ends in[^]*Coming next[^]*Starts in`)
	loadAxe(t, page)("first page")
	page.Screenshot(t, "first-page")
	speak(t, page, "zh", s.URL+"/", "a.sale")
	reads(t, page, "main", "这是一家秒杀商店[^]*进行中[^]*即将开始")
}
