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

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestTheShopSaysWhatToDoWhereABuyerCannotBuy(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada, op := s.Buyer(t, "ada"), s.Operator(t)
	at := func(sale string) {
		t.Helper()
		page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"))
	}

	soon := s.Open(t, site.Sale{SKU: "soon", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	at(soon)
	reads(t, page, ".badge", `^Starts in (59:5\d|1:00:00)$`)
	reads(t, page, "#buy", `^Wait for the start · (59:5\d|1:00:00)$`)
	page.Do(t, click("#buy"))
	reads(t, page, "#reason", "^You are in line. You confirm before anything is bought.$")
	reads(t, page, "#buy[aria-disabled]", `^Wait for the start · 59:\d\d$`)

	once := s.Open(t, site.Sale{SKU: "once", SKULimit: 1})
	ada.Buy(t, once, "once", "k")
	at(once)
	reads(t, page, ".sku", "At most 1 for each buyer")
	page.Do(t, click("#buy"))
	reads(t, page, ".verdict .problem", "^You have bought as many as one buyer may.$")
	reads(t, page, ".verdict .go", "^Pay your order$")
	page.Do(t, see(".verdict .sign.over"), click(".verdict .go"), see(".order .sign.done"))
	reads(t, page, "h1.outcome", "^You got it$")

	closed := s.Open(t, site.Sale{SKU: "closed"})
	at(closed)
	op.Call(t, http.MethodPost, "/admin/api/v1/activities/"+closed+"/offline", "", nil)
	page.Do(t, see(".over"))
	reads(t, page, ".badge", "^Ended$")

	open := s.Open(t, site.Sale{SKU: "open"})
	at(open)
	assert.Less(t, op.Call(t, http.MethodPut, "/admin/api/v1/blocked/user:ada", "",
		map[string]string{"reason": "resells"}).Status, 300)
	for range 20 { // instances know it within a second
		page.Do(t, click("#buy"), browser.Until(`document.querySelector('.verdict, #place')`))
		if browser.Run[bool](t, page, `return !document.querySelector('#place')`) {
			break
		}
		page.Do(t, click("dialog .quiet"))
	}
	reads(t, page, ".verdict h1", "^You can't buy in this sale$")
	page.Screenshot(t, "blocked")

	s.Drain(t)
	bought := ada.Call(t, http.MethodGet, "/api/v1/orders", "", nil).JSON(t)["items"].([]any)[0].(map[string]any)
	number := bought["order_number"].(string)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+number), see("#cancel"))
	ada.Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
	reads(t, page, ".way", "Cancelled")

	s.Stop(t)
	page.Do(t, see(".offline"))
	reads(t, page, ".offline", "^The connection is lost. The page keeps trying.$")
	page.Screenshot(t, "lost")
}

func TestTheShopSpeaksChinese(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{})
	browser.Run[bool](t, page, `localStorage.setItem('language', 'zh'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	reads(t, page, "h1", "^限时秒杀$")
	assert.Equal(t, "zh-Hans", browser.Run[string](t, page, `return document.documentElement.lang`))
	page.Screenshot(t, "chinese")
}

// The goods of the demo are described in the reader's language, in sales and outside of them.
func TestTheDemosGoodsAreInChinese(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	require.NoError(t, s.Server.Demo(t.Context()))
	browser.Run[bool](t, page, `localStorage.setItem('language', 'zh'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	reads(t, page, "a.sale h3", "^半价秒杀$")
	page.Do(t, click("a.sale"))
	reads(t, page, ".sku.chosen .name", "^摄影网课$")
	page.Screenshot(t, "demo-sale-zh")
	at(t, page, "#/goods")
	reads(t, page, ".cards", "台灯[^]*头戴耳机|头戴耳机[^]*台灯")
}

// The server doesn't answer any more, and the clock goes on.
func TestACountdownGoesOnBetweenAnswers(t *testing.T) {
	t.Parallel()
	_, page, _ := atSale(t, site.Sale{})
	for range 3 {
		shown := browser.Run[string](t, page, `
			window.fetch = () => new Promise(() => {});
			return document.querySelector('.badge').innerText`)
		page.Do(t, browser.Until(`document.querySelector('.badge').innerText !== `+strconv.Quote(shown)))
	}
}

// A buyer who did not pay on the gateway's page can pay again.
func TestAPaymentThatFailedCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{})
	page.Do(t, click("#buy"), click("#place"), see(".way .stored.done"), click("section.pay #pay"), see("#actions"),
		click(`button[data-action="fail"]`), see("section.pay"))
	pay(t, page)
	s.Drain(t)
}

// The gateway's answer is written here: WeChat Pay can't be reached from tests.
func TestAPaymentByWeChatShowsItsCode(t *testing.T) {
	t.Parallel()
	_, page, _ := atSale(t, site.Sale{})
	page.Do(t, click("#buy"), click("#place"), see("section.pay #pay"))
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = (url, options) => !String(url).endsWith('/payments') ? answered(url, options) :
			Promise.resolve(new Response(JSON.stringify({
				status: 'pending', next: { params: { code_url: 'weixin://wxpay/bizpayurl?pr=abc' } },
			}), { status: 201, headers: { 'Content-Type': 'application/json' } }));
		return true`)
	page.Do(t, click("section.pay #pay"), see("svg.qr"), browser.Until(`document.querySelector('.qr path')
		?.getAttribute('d').length > 1000`))
	reads(t, page, ".scan", `^Scan this code with WeChat:\s+Waiting for your payment of ¥1\.00 …$`)
	assert.Equal(t, "weixin://wxpay/bizpayurl?pr=abc", browser.Run[string](t, page,
		`return document.querySelector('.qr').getAttribute('aria-label')`))
	page.Screenshot(t, "wechat")
}

// Requests fail as without a network; then they don't any more.
func TestALostConnectionMendsItself(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	for _, at := range []struct{ path, sign string }{{"/", "a.sale"}, {"/admin", ".attention"}} {
		s.Open(t, site.Sale{SKU: "sku"})
		page.Do(t, chromedp.Navigate(s.URL+at.path), see(at.sign))
		hurry(t, page)
		browser.Run[bool](t, page, `
			window.online = window.fetch;
			window.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
			return true`)
		reads(t, page, ".offline", "^The connection is lost. The page keeps trying.$")
		page.Do(t, see(at.sign)) // what was read is still shown
		browser.Run[bool](t, page, `window.fetch = window.online; return true`)
		page.Do(t, browser.Until(`!document.querySelector('.offline, .problem')`), see(at.sign))
	}
	assert.Empty(t, page.Errors())
}
