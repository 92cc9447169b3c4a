//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// An operator sets the last units aside on the live page, releases some, and the buyer of the others buys them.
func TestUnitsSetAsideAreBoughtByTheirBuyer(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Stock: map[string]int64{"0": 4}})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), chromedp.Reload(), see("#holds .empty"))
	aside := func(units, user string) {
		page.Do(t, click("#set-aside"), see("dialog form"))
		put(t, page, "quantity", units)
		put(t, page, "user_id", user)
		page.Do(t, click("dialog .go"))
	}
	aside("5", "")
	reads(t, page, "dialog", "4 are left")
	put(t, page, "quantity", "1")
	page.Do(t, click("dialog .go"))
	reads(t, page, "#holds tbody", "The desk")
	loadAxe(t, page)("units set aside")
	aside("2", "ada")
	reads(t, page, "#holds tbody", "ada[^]*The desk")
	reads(t, page, ".account", "Kept for buyers")
	page.Do(t, click("#holds tbody tr:last-child button:nth-child(2)"), see("dialog form"))
	put(t, page, "user_id", "bob")
	page.Do(t, click("dialog .go"))
	reads(t, page, ".toast", `Order \d+ is placed`)
	assert.Equal(t, 1, orders(t, s, "bob"))
	aside("1", "")
	page.Do(t, browser.Until(`!document.querySelector("dialog[open]") &&
		document.querySelectorAll("#holds tbody tr").length === 2`))

	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#offer"))
	reads(t, page, "#offer", `^Set aside for you\s+Kept for you: 2 × `)
	reads(t, page, ".quantity", "^Quantity 2$")
	page.Do(t, click("#buy"), see("#place"), click("#place"), see(".way .stored.done"))

	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), see("#holds tbody"))
	page.Do(t, browser.Until(`document.querySelectorAll("#holds tbody tr").length === 1`))
	page.Do(t, click("#holds .danger"), click("dialog .danger"), see("#holds .empty"))
}

// The live page says how many buyers want to be reminded.
func TestTheLivePageCountsReminders(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	for _, user := range []string{"ada", "bob"} {
		answer := s.Buyer(t, user).Call(t, http.MethodPost, "/api/v1/seckill/reminders", "",
			client.ReminderRequest{ActivityID: id, Kind: "start"})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+id), chromedp.Reload())
	reads(t, page, "#reminders", "Reminders: 2 of the start, 0 of units that return")
}
