//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/site"
	"onrush/web/client"
)

// A buyer whose turn it is sees the amounts, and may confirm them in any tab; the order is placed once.
func TestABuyerConfirmsInAnotherTabThanTheOneThatWaits(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 1})
	page.Do(t, click("#buy"), see("dialog #place"))
	other := page.Tab(t, s.URL+"/#/wait/"+sale)
	other.Do(t, see("dialog #place"))
	page.Do(t, chromedp.Navigate(s.URL+"/docs")) // the tab that waited is gone
	other.Do(t, browser.Until(`performance.getEntriesByType('resource').some((r) => r.name.endsWith('/confirm'))`),
		click("dialog #place"), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
	other.Do(t, chromedp.NavigateBack())
	assert.NotContains(t, other.At(t), "#/wait/", "the way back leads past the waiting room")
}

// A buyer who chose so gets the order without a question, also after a reload.
func TestABuyerBuysByItselfWhenItIsTheirTurn(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01})
	page.Do(t, click("#buy"), click("#auto"))
	reads(t, page, ".waiting .next", "The order is placed automatically")
	faster := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "",
		map[string]any{"waiting_room": map[string]any{"paths_per_second": 100}})
	require.Equal(t, http.StatusOK, faster.Status, "%s", faster.Body)
	page.Do(t, chromedp.Reload(), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

// Another buyer who signs in with the same browser doesn't go on with the wait of the first.
func TestAWaitEndsWithItsBuyer(t *testing.T) {
	t.Parallel()
	_, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01})
	page.Do(t, click("#buy"))
	reads(t, page, ".waiting h1", `^\d ahead of you$`)
	browser.Run[bool](t, page, `localStorage.setItem('buyer', 'eve'); sessionStorage.clear(); return true`)
	page.Do(t, chromedp.Reload())
	reads(t, page, ".waiting .empty", "^You are not waiting in this sale.$")
	assert.Equal(t, "null", browser.Run[string](t, page, `return String(localStorage.getItem('wait:`+sale+`'))`))
}

// A wait whose entry is gone, as after a sign-out, ends at its next step, and buys nothing for who comes next.
func TestAWaitEndsWhereNothingIsKeptOfIt(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 1})
	page.Do(t, click("#buy"), click("#auto"))
	const held = `return (await navigator.locks.query()).held.length`
	assert.Equal(t, 1, browser.Run[int](t, page, held))
	browser.Run[bool](t, page, `localStorage.removeItem('wait:`+sale+`'); return true`)
	require.Eventually(t, func() bool { return browser.Run[int](t, page, held) == 0 }, time.Minute, browser.PollEvery)
	assert.Zero(t, orders(t, s, "ada"))
}

// Who waits may say already where the goods go, which saves time at the turn. A line that has not moved has no bar.
func TestABuyerWhoWaitsSaysWhereTheGoodsGo(t *testing.T) {
	t.Parallel()
	_, page, _ := behindOthers(t, site.Sale{Kind: catalogue.Physical, PathsPerSecond: 0.01})
	page.Do(t, chromedp.EmulateViewport(390, 844), see(".save-address"), click("#buy"))
	reads(t, page, ".waiting h1", ahead)
	assert.True(t, browser.Run[bool](t, page, `
		const bar = document.querySelector('.waiting > .bar span');
		return !bar || bar.offsetWidth > 0`))
	reads(t, page, ".destination", `^Save time: say now where it goes[^]*Save the address`)
	assert.Zero(t, count(t, page, ".buy-bar"), "it is not urgent")
	assert.True(t, shows(t, page, ".top nav"))
	reads(t, page, ".auto", `^\s*Order automatically when it is my turn\s+The order is then placed`)
	page.Screenshot(t, "waiting-where-early")
	loadAxe(t, page)("waiting room before the turn")
	page.Do(t, fill("receiver", "Ada"), fill("phone", "13800000000"), fill("region", "east"),
		fill("detail", "Street 1"), click(".save-address"), browser.Until(`!document.querySelector('.destination')`))
	reads(t, page, ".waiting h1", ahead)
}

// A wait in a sale that is paused says so, and in one that closes why it has ended, also after a reload and in other
// tabs.
func TestAWaitInASaleThatClosesSaysWhyItEnded(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.5})
	page.Do(t, click("#buy"))
	reads(t, page, ".waiting h1", `^\d ahead of you$`)
	s.Operator(t).PauseActivity(t, sale)
	reads(t, page, ".waiting h1", "^The sale is paused$")
	at(t, page, "#/")
	s.Operator(t).TakeActivityOffline(t, sale)
	reads(t, page, ".in-line a", "^Waiting room The wait has ended. See why.$")
	page.Do(t, click(".in-line a"))
	reads(t, page, ".waiting .over h2", "^The sale was closed.$")
	assert.Equal(t, "Sale · Onrush", browser.Run[string](t, page, `return document.title`))
	other := page.Tab(t, s.URL+"/#/wait/"+sale)
	reads(t, other, ".waiting .over h2", "^The sale was closed.$")
	page.Do(t, chromedp.Reload())
	reads(t, page, ".waiting .over h2", "^The sale was closed.$")
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('.in-line a').length`))
	page.Do(t, click(".waiting a.go"), see(".hero"))
}

// A sale that ends, or has no units left, while a buyer waits says so at once, and what to do now: nobody waits for
// what can't come. Units that come back in time find the buyer still in line.
func TestAWaitIsOverAtOnceWhenNothingIsLeft(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01})
	stock := func(key string, delta int) {
		t.Helper()
		changed := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+sale+"/stock", key,
			map[string]any{"sku_id": "sku", "point_id": "0", "delta": delta})
		require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	}
	page.Do(t, click("#buy"))
	reads(t, page, ".waiting h1", ahead)
	stock("none", -100)
	reads(t, page, ".waiting .over", `^This sale is sold out\.[^]*See the flash sales\s+My orders$`)
	stock("some", 5)
	reads(t, page, ".waiting h1", ahead)

	s.Operator(t).ChangeActivity(t, sale, client.ActivityChange{EndsAt: time.Now().Add(2 * time.Second)})
	reads(t, page, ".waiting .over h2", `^The sale is over\.$`)
	page.Screenshot(t, "waiting-over")
	at(t, page, "#/")
	page.Do(t, see(".hero"))
	assert.Zero(t, count(t, page, ".in-line a"), "the wait has ended")
	assert.Zero(t, orders(t, s, "ada"))
}
