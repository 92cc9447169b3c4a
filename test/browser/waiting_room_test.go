package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// behindOthers opens a sale with a waiting room in which three others are, and its page in the shop.
func behindOthers(t *testing.T, sale site.Sale) (*site.Site, *browser.Page, string) {
	t.Helper()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, sale)
	for _, name := range []string{"bob", "carol", "dave"} {
		place := s.Buyer(t, name).Call(t, http.MethodPost, "/api/v1/seckill/line", "",
			map[string]string{"activity_id": id})
		require.Equal(t, http.StatusOK, place.Status, "%s", place.Body)
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id))
	return s, page, id
}

// A buyer sees the position, the time and what happens next; the wait goes on after a reload, in other views and in
// another tab, and ends in all of them when the buyer leaves.
func TestAWaitGoesOnUntilTheBuyerLeaves(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01, HumanCheck: human.ProofOfWork})
	reads(t, page, "#buy", "^Join the waiting room$")
	page.Do(t, click("#buy"))
	reads(t, page, ".waiting h1", ahead)
	reads(t, page, ".waiting", `About \d minutes until your turn, at about \d`)
	reads(t, page, ".waiting .next",
		`wait until[^]*you are human[^]*confirm within two minutes[^]*pay within 15 minutes`)
	reads(t, page, ".waiting .next [aria-current=step]", "wait until")
	assert.Regexp(t, `^\d ahead of you`, browser.Run[string](t, page, `return document.title`))

	page.Do(t, chromedp.Reload())
	reads(t, page, ".waiting h1", ahead)
	at(t, page, "#/")
	reads(t, page, ".in-line a", `Waiting room \d ahead of you`)
	other := page.Tab(t, s.URL+"/#/wait/"+sale)
	reads(t, other, ".waiting h1", ahead)
	page.Do(t, click(".in-line a"))
	reads(t, page, ".waiting h1", ahead)
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('.in-line a').length`))

	page.Do(t, click("#leave"))
	reads(t, page, "#buy", "^Join the waiting room$")
	reads(t, other, ".waiting .empty", "^You are not waiting in this sale.$")
	assert.Zero(t, orders(t, s, "ada"))
}
