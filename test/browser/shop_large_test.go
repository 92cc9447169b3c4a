//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The answer to a submit never comes, and the page is loaded again: it goes on with the same order.
func TestAReloadDuringSubmitOrdersOnce(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{})
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await answered(url, options);
			if (String(url).endsWith('/submit')) {
				window.placed = true;
				await new Promise(() => {});
			}
			return answer;
		};
		return true`)
	page.Do(t, click("#buy"), click("#place"))
	page.Do(t, browser.Until("window.placed"))
	page.Do(t, chromedp.Reload(), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

func TestTwoClicksOrderOnce(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{})
	page.Do(t, see("#buy"))
	browser.Run[bool](t, page, `
		const form = document.querySelector('form');
		form.requestSubmit(); form.requestSubmit(); form.requestSubmit();
		return true`)
	page.Do(t, click("#place"), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

// While somebody may not pay for the last unit, a buyer waits for it with a countdown, and gets it when it comes back.
func TestUnitsThatComeBackCanBeBought(t *testing.T) {
	t.Parallel()
	s, page, sale := atSale(t, site.Sale{Stock: map[string]int64{"0": 1}})
	bob := s.Buyer(t, "bob")
	task := bob.Buy(t, sale, "sku", "k").Task(t)
	reads(t, page, "#buy", "^Wait for one$")
	reads(t, page, "#reason", `^This page tries for you\. You confirm before you buy\.$`)
	reads(t, page, ".states", "^Sold out$")
	reads(t, page, ".sku .stock", `^Unpaid items may come back in the next 1[45] minutes\.$`)
	assert.Equal(t, 1, browser.Run[int](t, page,
		`return document.querySelector('.about').innerText.match(/sold out/gi).length`), "it is said once")
	reads(t, page, ".choice.folded > summary", `^Sku × 1 · ¥1\.00\s+Change$`)
	assert.False(t, shows(t, page, ".quantity, #cost"))
	page.Do(t, click(".choice > summary"), see(".quantity"))
	reads(t, page, ".quantity", "^Quantity 1$") // no more than there were can come back
	page.Do(t, click(".choice > summary"))
	page.Screenshot(t, "sold-out")
	refusing(t, page, "POST .*/seckill/path", "sold_out")
	page.Do(t, click("#buy"))
	reads(t, page, ".verdict h1", "^Sold out for now$")
	reads(t, page, ".verdict h1 + p", `^Unpaid items may come back in the next 1[45] minutes\. Nothing`)
	reads(t, page, ".asked-for", `^You asked for[^]*Sku × 1`)
	page.Do(t, see(".verdict .sign.due"))
	reads(t, page, ".verdict .go", "^Wait for one$")
	page.Screenshot(t, "verdict-wait")
	refusingNone(t, page)
	page.Do(t, click("#wait"))
	reads(t, page, "#reason", `^If somebody doesn't pay, the item is yours`)
	s.Drain(t)
	bob.Call(t, http.MethodPost, "/api/v1/orders/"+task["order_number"].(string)+"/cancel", "", nil)
	page.Do(t, click("#place"), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

// On a program that gives no tokens a buyer pastes one, and may look at sales before. Then the page reads where goods
// may be sent, and takes an address.
func TestABuyerWithoutATokenSignsInToBuy(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	id := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	page := b.Page(t, s.URL+"/docs")
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"))
	reads(t, page, ".delivery", "When you have signed in, you choose an address")
	page.Do(t, click("#buy"), see("textarea[name=token]"))
	page.Screenshot(t, "sign-in")
	page.Do(t, chromedp.SendKeys(chromedp.CSS("textarea[name=token]"), token), click("dialog .go"),
		see(".save-address"), fill("receiver", "Ada"), fill("phone", "13800000000"), fill("region", "east"),
		fill("detail", "Street 1"), click(".save-address"), see("#address"), click("#buy"), click("#place"),
		see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}

func TestADemoBuyerWhoseTokenEndedGetsAnother(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	browser.Run[bool](t, page, `sessionStorage.setItem('token', 'ended'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"), see(".empty"))
}
