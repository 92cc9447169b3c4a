//go:build large

package browser_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// quicken lets those in who wait in a sale behind others.
func quicken(t *testing.T, s *site.Site, sale string) {
	t.Helper()
	rate := client.ActivityChange{WaitingRoom: client.WaitingRoom{PathsPerSecond: 100}}
	s.Operator(t).ChangeActivity(t, sale, rate)
	require.Eventually(t, func() bool { // instances know the rate within a second
		place := s.Buyer(t, "dave").Call(t, http.MethodPost, "/api/v1/seckill/line", "",
			map[string]string{"activity_id": sale})
		return place.JSON(t)["status"] != "waiting"
	}, time.Minute, 20*time.Millisecond)
}

// answering lets the page answer requests whose path ends with a text itself, until window.fetch is window.answered.
func answering(t *testing.T, page *browser.Page, path, answer string) {
	t.Helper()
	browser.Run[bool](t, page, `
		window.answered ??= window.fetch;
		window.fetch = (url, options) => {
			if (!String(url).endsWith(`+strconv.Quote(path)+`)) return answered(url, options);
			const problem = (status, code) => new Response(JSON.stringify({ status, code }),
				{ status, headers: { 'Content-Type': 'application/problem+json' } });
			return `+answer+`;
		};
		return true`)
}

// A tab that only shows that a buyer waits goes on with the wait when the tab in which the buyer joined is closed.
func TestAWaitOutlivesTheTabInWhichTheBuyerJoined(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01, Stock: map[string]int64{"0": 2}})
	other := page.Tab(t, s.URL+"/")
	other.Do(t, see("a.sale"))
	page.Do(t, click("#buy"))
	reads(t, page, ".waiting h1", ahead)
	reads(t, page, ".waiting .notice", "^More buyers are ahead of you than there are items left")
	page.Do(t, click("#auto"))
	reads(t, other, ".in-line a", `Waiting room \d ahead of you`)
	quicken(t, s, sale)
	page.Do(t, chromedp.Navigate(s.URL+"/docs")) // before it asks again
	other.Do(t, see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

// A sign-in that ends doesn't end the wait: it goes on when the buyer has signed in again.
func TestAWaitGoesOnAfterASignIn(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	page := b.Page(t, s.URL+"/docs")
	browser.Run[bool](t, page, `
		localStorage.setItem('language', 'en');
		sessionStorage.setItem('token', `+strconv.Quote(token)+`);
		return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	answering(t, page, "/seckill/path", "Promise.resolve(problem(401, 'unauthorized'))")
	page.Do(t, click("#buy"), see("dialog textarea[name=token]"))
	reads(t, page, ".waiting .notice", "^Your sign-in has ended. Your place is kept")
	browser.Run[bool](t, page, `window.fetch = window.answered; return true`)
	page.Do(t, chromedp.SendKeys(chromedp.CSS("textarea[name=token]"), token), click("dialog .go"), see("#place"))
	page.Do(t, browser.Until(`!document.querySelector('.waiting .notice')`))
}

// A wait goes on when its place is lost, when the platform gives no token for a moment, and when the worker of the
// human check can't be loaded; the page says that it keeps trying.
func TestAWaitGoesOnAfterWhatPasses(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100, HumanCheck: human.ProofOfWork})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	hurry(t, page)
	browser.Run[bool](t, page, `
		const { solve } = onrushHuman;
		onrushHuman.solve = async (...all) => {
			await new Promise((go) => { window.worker = go; });
			onrushHuman.solve = solve;
			throw new Error('the worker could not be started');
		};
		return true`)
	answering(t, page, "/seckill/line", `new Promise((go) => {
		window.lose = () => {
			window.fetch = window.answered;
			window.onrushToken = async () => { throw new Error('no token'); };
			go(problem(409, 'place_invalid'));
		};
	})`)
	page.Do(t, click("#buy"), browser.Until("window.lose"))
	reads(t, page, ".waiting h1", "^Taking your place")
	browser.Run[bool](t, page, `lose(); return true`)
	reads(t, page, ".waiting .notice", "^Your sign-in has ended. Your place is kept")
	browser.Run[bool](t, page, `window.onrushToken = () => sessionStorage.getItem('token'); return true`)
	reads(t, page, ".waiting h1", "^It is your turn$")
	reads(t, page, ".waiting", "Your browser shows that you are human. This takes a few seconds")
	reads(t, page, ".waiting .next [aria-current=step]", "^Your browser shows that you are human")
	page.Do(t, browser.Until("window.worker"))
	browser.Run[bool](t, page, `window.worker(); return true`)
	reads(t, page, ".waiting .notice", trying)
	page.Do(t, see("#place"), browser.Until(`!document.querySelector('.waiting .notice')`))
}

// Who joins before the start is told that the order is drawn. The time that runs is no status, which would be read out
// each second.
func TestABuyerJoinsBeforeTheStart(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100, StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), click("#buy"))
	reads(t, page, ".waiting [role=timer] > h1", `^Starts in (59:\d\d|1:00:00)$`)
	reads(t, page, ".waiting", "The order of all who come before the start is drawn at the start")
	page.Do(t, browser.Until(`document.querySelectorAll('.waiting h1').length === 1`))
	loadAxe(t, page)("waiting before the start")
	at(t, page, "#/")
	reads(t, page, ".in-line a", "Waiting room You are in line.")
}

// While as many are ordering as there are units, the buyer whose turn it is waits for one of these.
func TestABuyerWaitsForUnitsInTheWaitingRoom(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100, PermitRatio: 1, Stock: map[string]int64{"0": 1}})
	bob := s.Buyer(t, "bob")
	place := bob.Call(t, http.MethodPost, "/api/v1/seckill/line", "", map[string]string{"activity_id": sale}).JSON(t)
	var taken site.Answer
	require.Eventually(t, func() bool {
		taken = bob.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": sale, "sku_id": "sku", "place": place["place"]})
		return taken.Status == http.StatusOK
	}, time.Minute, 50*time.Millisecond, "%s", taken.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), click("#buy"))
	reads(t, page, ".waiting [role=status] > h1", "^It is your turn$")
	reads(t, page, ".waiting", "Everything is being ordered right now.")
}

// A price that has risen since the buyer joined is not paid without a question, not even by who wants none.
func TestARisenPriceIsAskedFor(t *testing.T) {
	t.Parallel()
	s, page, sale := behindOthers(t, site.Sale{PathsPerSecond: 0.01})
	page.Do(t, click("#buy"), click("#auto"))
	reads(t, page, ".waiting h1", ahead)
	assert.Equal(t, "100", stored(t, page, sale, "worth"))
	browser.Run[bool](t, page, `
		const wait = JSON.parse(localStorage.getItem('wait:`+sale+`'));
		localStorage.setItem('wait:`+sale+`', JSON.stringify({ ...wait, worth: 60 })); // it was 0.60 then
		return true`)
	reads(t, page, ".waiting .notice", "^The price has risen from ¥0.60. You are asked")
	quicken(t, s, sale)
	page.Do(t, chromedp.Reload())
	reads(t, page, "dialog .notice", "^The price has risen since you joined")
	assert.Zero(t, orders(t, s, "ada"))
	page.Do(t, click("#place"), see(".way"))
}

// While the order is placed nobody can leave, since it may be stored already; after a reload it is the same order.
func TestNobodyLeavesWhileTheOrderIsPlaced(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	answering(t, page, "/submit", `new Promise(() => { // which never comes
		answered(url, options).then(() => { window.placed = true; });
	})`)
	page.Do(t, click("#buy"), click("#place"), see("#leave[disabled]"))
	reads(t, page, ".waiting h1", "^Placing the order")
	reads(t, page, "#leave-help", "^The order is being placed, so you can't leave now")
	page.Do(t, browser.Until("window.placed"))
	page.Do(t, chromedp.Reload(), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

// The page's policy allows no scripts of a captcha's service, and the shop says so before and while a buyer waits.
func TestTheShopSaysThatItShowsNoCaptcha(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.Captcha = human.CaptchaConfig{URL: "http://localhost/verify", Secret: "secret", SiteKey: "key"}
	}))
	sale := s.Open(t, site.Sale{PathsPerSecond: 100, HumanCheck: human.Captcha})
	const text = "^The human check of this sale is a captcha, which only the shop's own page can show"
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy[disabled]"))
	reads(t, page, "#reason", text)
	browser.Run[bool](t, page, `
		const wait = { at: Date.now(), key: 'key', sku: 'sku', quantity: 1, choice: {}, worth: 100 };
		localStorage.setItem('wait:`+sale+`', JSON.stringify(wait));
		return true`)
	at(t, page, "#/wait/"+sale)
	reads(t, page, ".waiting .problem", text)
}
