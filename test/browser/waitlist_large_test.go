//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// The page does the human check of a sale before a buyer joins its waiting list.
func TestABuyerJoinsAWaitingListThroughTheHumanCheck(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{
		Stock: map[string]int64{"0": 1}, OfferWithinS: 600, HumanCheck: human.ProofOfWork,
	})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"), click("#buy"), see("#place"), click("#place"),
		see(".way .stored.done"))
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), chromedp.Reload(), see("#waitlist button"))
	browser.Run[bool](t, page, `
		const { solve } = onrushHuman;
		onrushHuman.solve = async (...all) => {
			await new Promise((resolve) => { window.proven = resolve; });
			return solve(...all);
		};
		return true`)
	page.Do(t, click("#waitlist button"))
	reads(t, page, "#waitlist", "Checking that you are human")
	page.Do(t, browser.Until("window.proven"))
	browser.Run[bool](t, page, `proven(); return true`)
	reads(t, page, "#waitlist", "Your place in the waiting list: 1")
	entries := site.Read[struct{ Items []client.WaitlistEntry }](t, http.StatusOK,
		s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/seckill/waitlist", "", nil)).Items
	assert.Len(t, entries, 1)
}
