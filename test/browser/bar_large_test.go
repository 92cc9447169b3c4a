//go:build large

package browser_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// windows are the sizes of a small phone and of a desk.
var windows = map[string][2]int64{"phone": {390, 640}, "desk": {1280, 844}}

// onEachWindow runs a story on a phone and on a desk, each with a program of its own.
func onEachWindow(t *testing.T, story func(t *testing.T, s *site.Site, page *browser.Page)) {
	t.Helper()
	for name, size := range windows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, page := openShop(t, kit.OnEmbedded(t))
			page.Do(t, chromedp.EmulateViewport(size[0], size[1]))
			story(t, s, page)
		})
	}
}

// inView waits until an element has a text, and requires that the window shows the whole element.
func inView(t *testing.T, page *browser.Page, selector, text string) {
	t.Helper()
	reads(t, page, selector, text)
	page.Do(t, browser.Until(`(() => {
		const at = document.querySelector(`+strconv.Quote(selector)+`);
		const { left, right, top, bottom } = at.getBoundingClientRect();
		const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
		return top >= 0 && bottom <= innerHeight && (at.contains(seen) || seen.contains(at));
	})()`))
}

// Wherever the buyer has scrolled to, the button is in view with its reason, and with what went wrong.
func TestTheBarShowsWhatTheButtonWaitsForAndWhatWentWrong(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
		s.Buyer(t, "ada").Address(t, "east")
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#address"))
		for _, y := range []string{"0", "document.body.scrollHeight / 3"} {
			browser.Run[bool](t, page, `scrollTo(0, `+y+`); return true`)
			inView(t, page, "#buy", "^Buy now")
			inView(t, page, "#reason", "^You confirm next, then have 15 minutes to pay.$")
		}
		second := page.Tab(t, s.URL+"/#/sale/"+sale)
		second.Do(t, see("#buy:enabled"), click("#buy"), see("#place"))
		page.Front(t)
		page.Do(t, click("#buy"))
		inView(t, page, ".buy-bar .problem", "^Another tab is buying this already.")
		page.Screenshot(t, "bar-other-tab")
		inView(t, page, "#buy", "^Buy here instead$")
		page.Do(t, click("#buy"), see("#place"))
		second.Front(t)
		inView(t, second, ".buy-bar .problem", "^Another tab is buying this already.")
		page.Front(t)
		page.Do(t, click("dialog .quiet"))

		refusing(t, page, "POST .*/seckill/path", "no_permit")
		page.Do(t, click("#buy"))
		inView(t, page, "#buy[aria-disabled]", "^Waiting for your turn …$")
		inView(t, page, "#reason", "this page tries for it.$")
		page.Screenshot(t, "bar-waiting")
		page.Do(t, click("#stop"))
		inView(t, page, "#buy:not([aria-disabled])", "^Buy now")
		refusingNone(t, page)

		s.Operator(t).PauseActivity(t, sale)
		inView(t, page, "#buy[disabled]", "^Paused · opens by itself$")
		inView(t, page, "#reason", "^The sale is paused.")
	})
}

// The connection is lost while an order is sent: the view says that it is sent again, and it is, once.
func TestAnOrderIsSentAgainWhenTheConnectionIsBack(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := s.Open(t, site.Sale{})
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
		page.Offline(t, true)
		inView(t, page, "#buy[disabled]", "^No connection$")
		inView(t, page, ".offline", "^The connection is lost. The page keeps trying.$")
		page.Screenshot(t, "bar-offline")
		page.Offline(t, false)
		inView(t, page, "#buy:enabled", "^Buy now")

		page.Do(t, click("#buy"), see("#place"))
		inView(t, page, "#place", "^Place the order$")
		page.Offline(t, true)
		page.Do(t, click("#place"))
		inView(t, page, ".verdict h1", "^Reconnecting …$")
		page.Do(t, see(".verdict .sign.runs"))
		inView(t, page, ".verdict h1 ~ p, .verdict div + p", "only counts once.$")
		page.Screenshot(t, "verdict-offline")
		page.Offline(t, false)
		inView(t, page, "h1.outcome", "^You got it$")
		inView(t, page, ".left", `^1[45]:\d\d left to pay$`)
		s.Drain(t)
		assert.Equal(t, 1, orders(t, s, "ada"))
	})
}

// A refused order is said in a view of its own, with the reason and what to do now.
func TestARefusedOrderSaysWhyAndWhatNow(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := openOf(t, s)
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale+"?sku=pen"), see("#buy"))
		for _, c := range []struct{ code, sign, title, why, now, act string }{
			{"sold_out", "over", "^Sold out: pen$", "", "^This sale has other goods left.", "^See what is left$"},
			{
				"too_many_unpaid_orders", "due", "^Pay your open orders first$", "^You have too many unpaid",
				"^Nothing more was", "^Pay my orders$",
			},
			{
				"blocked", "blocked", "^You can't buy in this sale$", "", "^Other sales", "^See the flash sales$",
			},
			{
				"discarded", "wrong", "^Your order didn't go through$", "^This was our mistake.",
				"^Nothing was bought.", "^Try again$",
			},
		} {
			refusing(t, page, "POST .*/submit", c.code)
			page.Do(t, click("#buy"), click("#place"))
			inView(t, page, ".verdict h1", c.title)
			page.Do(t, see(".verdict .sign."+c.sign))
			if c.why == "" { // the title says it
				assert.Zero(t, count(t, page, ".verdict .problem"))
			} else {
				inView(t, page, ".verdict .problem", c.why)
			}
			inView(t, page, ".verdict :is(h1, .problem) + p", c.now)
			inView(t, page, ".verdict .go", c.act)
			page.Screenshot(t, "verdict-"+c.code)
			loadAxe(t, page)("verdict " + c.code)
			if c.code == "blocked" { // nothing leads back
				refusingNone(t, page)
				page.Do(t, chromedp.Reload(), see("#buy"))
				continue
			}
			page.Do(t, click("#back"))
			inView(t, page, "#buy", "^Buy now")
		}
		page.Do(t, click("#buy"), click("#place"))
		inView(t, page, ".verdict h1", "^Your order didn't go through$")
		refusingNone(t, page)
		page.Do(t, click("#again"), click("#place"))
		inView(t, page, "h1.outcome", "^You got it$")
	})
}

// A buyer whose region has no unit left is told so before the order, though others can still buy.
func TestARegionWithoutStockIsSaidBeforeTheOrder(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := s.Open(t, site.Sale{
			SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"east": 1, "west": 5},
			Regions: map[string][]string{"east": {"East"}, "west": {"West"}},
		})
		bob := s.Buyer(t, "bob")
		body := map[string]any{"address_id": bob.Address(t, "East")}
		bob.Submit(t, bob.Path(t, sale, "lamp"), "k", body).Placed(t)
		s.Buyer(t, "ada").Address(t, "East")
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#address"))
		inView(t, page, "#buy:enabled", "^New address$")
		inView(t, page, "#pick-up.go", "^Pick up at west$") // nothing has to be typed for it
		inView(t, page, "#reason", "^Sold out for East. Other regions still have some.$")
		assert.True(t, browser.Run[bool](t, page, `
			const [pickUp, buy] = [...document.querySelectorAll('.choices button')]
				.map((button) => button.getBoundingClientRect());
			const same = Math.abs(buy.width - pickUp.width) < 1;
			return buy.top === pickUp.top && same && pickUp.right < buy.left`), "side by side")
		page.Screenshot(t, "sale-region-sold-out")
		page.Do(t, click("#buy"))
		assert.True(t, focused(t, page, "#address"))
		page.Do(t, see(".save-address"))
		reads(t, page, ".sku", "Sold out for East")
		s.Buyer(t, "ada").Address(t, "West")
		page.Do(t, chromedp.Reload(), see("#address"))
		browser.Run[bool](t, page, `
			HTMLSelectElement.prototype.showPicker = function () { window.opened = this.id; };
			return true`)
		page.Do(t, click("#buy"), browser.Until("window.opened === 'address'"))
		assert.True(t, focused(t, page, "#address"))
		assert.Zero(t, count(t, page, ".save-address"), "a saved address can be chosen")
		page.Do(t, click("#pick-up"), see("#point"))
		inView(t, page, "#buy:enabled", "^Buy now")
		reads(t, page, "#point", "^west$")
	})
}

// A buyer joins the waiting room without an address, and is asked for it there: the line goes on meanwhile.
func TestABuyerJoinsTheWaitingRoomBeforeAnAddressIsAskedFor(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, PathsPerSecond: 100})
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".save-address"))
		inView(t, page, "#buy:enabled", "^Join the waiting room$")
		page.Do(t, click("#buy"))
		reads(t, page, ".waiting h1", `^Your turn · (2:00|1:\d\d)$`)
		assert.False(t, shows(t, page, "#auto, #send-to"))
		reads(t, page, ".waiting", "Choose below where the goods go, within two minutes.")
		assert.Zero(t, count(t, page, ".destination [type=checkbox]"), "the only address needs no default")
		if browser.Run[bool](t, page, `return innerWidth < 500`) {
			inView(t, page, ".save-address", "^Save and continue$")
			inView(t, page, "#save-next", "^Then you see the total and confirm.$")
			assert.False(t, shows(t, page, ".top nav"), "the turn has the room of the menu")
		}
		page.Screenshot(t, "waiting-where")
		loadAxe(t, page)("waiting room asks for an address")
		s.Buyer(t, "ada").Address(t, "east")
		page.Do(t, chromedp.Reload(), see("#address"), click("#send-to"), click("#place"), see(".way"))
		order := s.Buyer(t, "ada").GetOrder(t, number(t, page))
		assert.Equal(t, "east", order.Address.Region)
	})
}

// An address that is saved at the turn is where the goods go: the amounts follow at once.
func TestAnAddressSavedAtTheTurnLeadsToTheAmounts(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, PathsPerSecond: 100})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".save-address"), click("#buy"))
	reads(t, page, ".waiting .save-address", "^Save and continue$")
	page.Do(t, fill("receiver", "Ada"), fill("phone", "13800000000"), fill("region", "east"),
		fill("detail", "Street 1"), click(".waiting .save-address"), click("#place"), see(".way"))
	assert.Equal(t, "east", s.Buyer(t, "ada").GetOrder(t, number(t, page)).Address.Region)
}

// A buyer waits for units that come back without an address, and chooses one when there is a unit.
func TestABuyerWaitsForUnitsBeforeAnAddressIsAskedFor(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"0": 1}})
		bob, ada := s.Buyer(t, "bob"), s.Buyer(t, "ada")
		body := map[string]any{"address_id": bob.Address(t, "East")}
		order := bob.Submit(t, bob.Path(t, sale, "lamp"), "k", body).Placed(t).OrderNumber
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".save-address"))
		inView(t, page, "#buy:enabled", "^Wait for one$")
		page.Do(t, click("#buy"))
		inView(t, page, "#reason", "^If somebody doesn't pay, the item is yours.")
		s.Drain(t)
		bob.CancelOrder(t, order)
		inView(t, page, "#buy[disabled]", "^One is yours. Where should we send it[?]$")
		for name, text := range map[string]string{
			"receiver": "Ada", "phone": "13800000000", "region": "East", "detail": "Street 1",
		} {
			put(t, page, name, text)
		}
		page.Do(t, click(".save-address"))
		inView(t, page, "#buy:enabled", "^Continue$")
		page.Do(t, click("#buy"), click("#place"), see(".way"))
		assert.Equal(t, "East", ada.GetOrder(t, number(t, page)).Address.Region)
	})
}

// What only the demo has is in one menu, which the keyboard opens and closes: the header is the shop's.
func TestTheDemosControlsAreInOneMenu(t *testing.T) {
	t.Parallel()
	onEachWindow(t, func(t *testing.T, s *site.Site, page *browser.Page) {
		page.Do(t, chromedp.Navigate(s.URL+"/"), see(".demo summary"))
		assert.False(t, shows(t, page, "#buyer, #requests, header a[href$='/admin']"), "it is closed")
		browser.Run[bool](t, page, `document.querySelector('.demo summary').focus(); return true`)
		page.Do(t, chromedp.KeyEvent(kb.Enter), see("#buyer"))
		inView(t, page, ".demo .card", `^Only in this demo\s+Demo buyer[^]*API requests\s+API\s+Console$`)
		page.Screenshot(t, "demo-menu")
		loadAxe(t, page)("demo menu")
		page.Do(t, chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('.demo').open`))
		assert.True(t, focused(t, page, ".demo summary"))
		page.Do(t, click(".demo summary"), click("#requests"), see(".drawer"))
		assert.False(t, shows(t, page, "#buyer"))
	})
}

// shows reports whether any element that a selector matches is drawn.
func shows(t *testing.T, page *browser.Page, selector string) bool {
	t.Helper()
	return browser.Run[bool](t, page, `return [...document.querySelectorAll(`+strconv.Quote(selector)+`)]
		.some((at) => at.checkVisibility())`)
}
