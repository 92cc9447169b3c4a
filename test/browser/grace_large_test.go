//go:build large

package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

// An operator gives payments under way more time in the form of a draft.
func TestTheConsoleSetsAGraceForPayments(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	put(t, page, "pay_grace", "31")
	page.Do(t, click("#save"), see("[name=pay_grace]:invalid"))
	put(t, page, "pay_grace", "5")
	page.Do(t, click("#save"), see("#saved"))
	assert.EqualValues(t, 300, activity(t, s, id)["pay_grace_s"])
}

// The page of an order whose payment is under way at the deadline says for how much longer its units are kept.
func TestABuyerSeesTheGraceOfAPayment(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	s, page := openShop(t, kit.OnEmbedded(t), site.Time(clock.Now))
	id := s.Open(t, site.Sale{PayWithinS: 600, PayGraceS: 300})
	ada := s.Buyer(t, "ada")
	order := ada.Submit(t, ada.Path(t, id, "sku"), "k", map[string]any{"quantity": 1}).Placed(t).OrderNumber
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see("h1"))
	clock.Advance(9 * time.Minute)
	ada.BeginPayment(t, "pay", order)
	clock.Advance(time.Minute + time.Second)
	for range 3 {
		s.Job(t, "cancel_unpaid")
		s.Job(t, "query_payments")
	}
	page.Do(t, chromedp.Reload(), see("h1"))
	// The time left is by the header Date, which a test doesn't set.
	reads(t, page, "main", `Your payment is still being confirmed: your units are kept for another 1[45]`)
}
