//go:build large

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

// The console sets how long units are offered. A buyer joins the waiting list, is offered the unit that another buyer
// gives up, and buys it; the live page has the unit as kept meanwhile.
func TestABuyerIsOfferedTheUnitThatComesBack(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true, Stock: map[string]int64{"0": 1}})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	put(t, page, "offer_within_s", "600")
	page.Do(t, click("#save"), see("#saved"))
	answer := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+id+"/publish", "", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)

	bob, eve := s.Buyer(t, "bob"), s.Buyer(t, "eve")
	order := bob.Submit(t, bob.Path(t, id, "sku"), "k", map[string]any{"quantity": 1}).Placed(t).OrderNumber
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#waitlist button"), click("#waitlist button"))
	reads(t, page, "#waitlist", "Your place in the waiting list: 1")
	eve.Call(t, http.MethodPost, "/api/v1/seckill/waitlist", "",
		client.WaitlistRequest{ActivityID: id, SKUID: "sku", Quantity: 1})
	bob.CancelOrder(t, order)
	reads(t, page, "#offer", `Kept for you: 1 × Sku`)
	live := page.Tab(t, s.URL+"/admin#/live/"+id)
	reads(t, live, ".account", `Kept for buyers[^]*1`)
	page.Front(t)
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))
	s.Job(t, "serve_waitlists") // sees that the offer was taken
	states := map[string]string{}
	for _, buyer := range []*site.Person{s.Buyer(t, "ada"), eve} {
		for _, e := range site.Read[struct{ Items []client.WaitlistEntry }](t, http.StatusOK,
			buyer.Call(t, http.MethodGet, "/api/v1/seckill/waitlist", "", nil)).Items {
			states[buyer.Name] = string(e.State)
		}
	}
	assert.Equal(t, map[string]string{"eve": "waiting"}, states, "nobody is offered what another has bought")
}
