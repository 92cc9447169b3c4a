package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// openShop starts a program, and a browser at its shop as a demo buyer.
func openShop(t testing.TB, stores *kit.Stores, options ...site.Option) (*site.Site, *browser.Page) {
	t.Helper()
	b := browser.Open(t)
	s := site.Start(t, stores, append(options, site.Reachable())...)
	page := b.Page(t, s.URL+"/docs") // of the same origin
	browser.Run[bool](t, page, `
		localStorage.setItem('language', 'en');
		localStorage.setItem('buyer', 'ada');
		return true`)
	return s, page
}

// A crowd that comes at once asks for the page at once.
func TestTheFirstViewNeedsFewRequests(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{})
	for at, shown := range map[string]string{"/": ".card", "/admin": ".attention"} {
		page.Do(t, chromedp.Navigate(s.URL+at), see(shown))
		loaded := browser.Run[[]string](t, page, `
			return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`)
		files := slices.DeleteFunc(slices.Clone(loaded), func(name string) bool {
			return !strings.HasPrefix(name, "/assets/") || strings.HasPrefix(name, "/assets/demo/")
		})
		assert.LessOrEqual(t, len(files), 7, "beside the page: %s", files)
		tokens := slices.DeleteFunc(slices.Clone(loaded), func(name string) bool { return name != "/dev/token" })
		assert.Len(t, tokens, 1, "all calls share one")
		t.Logf("%s: %s", at, loaded)
	}
}

// rarely makes an action look for its element at the interval of Until.
var rarely = chromedp.RetryInterval(browser.PollEvery)

// stillInMiddle brings an element into the middle of the window, and waits until it stays there with nothing above it:
// a page that still draws moves what is to be clicked. After a second the click is tried anyway, and shows what is
// wrong.
const stillInMiddle = `new Promise((done) => {
	const frames = 60;
	let last = '';
	const look = (frame) => {
		const element = document.querySelector(%q);
		element?.scrollIntoView({ block: 'center', behavior: 'instant' });
		const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
		const at = [left, top, width, height].join();
		const hit = element && document.elementFromPoint(left + width / 2, top + height / 2);
		const label = hit?.closest('label')?.control;
		const free = hit && (element.contains(hit) || hit.contains(element) || label === element);
		if (frame === frames || (free && at === last)) done();
		else requestAnimationFrame(() => look(frame + 1));
		last = at;
	};
	look(0);
})`

// click clicks on the first element that a selector matches, once it can be clicked: in the middle of the window, away
// from bars that stay at its edges.
func click(selector string) chromedp.Action[chromedp.Void] {
	still := fmt.Sprintf(stillInMiddle, selector)
	return found(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if none, err := chromedp.WaitEnabled(chromedp.CSS(selector), rarely)(ctx, t); err != nil {
			return none, err
		}
		if _, err := chromedp.Evaluate[any](still, chromedp.EvalAwaitPromise)(ctx, t); err != nil {
			return chromedp.Void{}, err
		}
		return chromedp.Click(chromedp.CSS(selector), rarely)(ctx, t)
	})
}

func see(selector string) chromedp.Action[chromedp.Void] {
	return found(chromedp.WaitVisible(chromedp.CSS(selector), rarely))
}

// found acts again if the page replaced the element between finding it and acting on it.
func found(act chromedp.Action[chromedp.Void]) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		for range 10 {
			none, err = act(ctx, t)
			if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
				break
			}
		}
		return none, err
	}
}

// fill types a text into the field of a name.
func fill(name, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS("input[name="+name+"]"), text, rarely)
}

// number returns the number of the order that the page shows.
func number(t *testing.T, page *browser.Page) string {
	t.Helper()
	_, order, found := strings.Cut(page.At(t), "#/order/")
	require.True(t, found, page.At(t))
	return order
}

// pay pays the order that the page shows, on the sandbox's page, and comes back.
func pay(t *testing.T, page *browser.Page) {
	t.Helper()
	page.Do(t, see(".way .stored.done"), click("section.pay #pay"), see("#actions"), click("#actions #pay"),
		see(".way .paid.done"))
}

// A buyer buys physical goods for an address, pays, sees them paid, buys a voucher, pays, and sees its code.
func TestABuyerBuysGoodsAndAVoucherInTheShop(t *testing.T) {
	t.Parallel()
	buyGoodsAndAVoucher(t, kit.OnEmbedded(t))
}

func buyGoodsAndAVoucher(t *testing.T, stores *kit.Stores) {
	t.Helper()
	s, page := openShop(t, stores)
	lamps := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	spa := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	page.Screenshot(t, "sales")
	ada := s.Buyer(t, "ada")

	page.Do(t, click(`a[href="#/sale/`+lamps+`"]`))
	page.Do(t, see(".save-address"), fill("receiver", "Ada"), fill("phone", "13800000000"), fill("region", "east"),
		fill("detail", "Street 1"), click(".save-address"), see("#address"))
	page.Screenshot(t, "sale")
	page.Do(t, click("#buy"), click("#place"), see(".way"))
	lamp := number(t, page)
	page.Screenshot(t, "order")
	pay(t, page)
	assert.Equal(t, "paid", ada.Call(t, http.MethodGet, "/api/v1/orders/"+lamp, "", nil).JSON(t)["status"])

	page.Do(t, click(`a.brand`), click(`a[href="#/sale/`+spa+`"]`), click("#buy"), click("#place"), see(".way"))
	pay(t, page)
	page.Do(t, see(".voucher code"))
	page.Screenshot(t, "voucher")
	page.Do(t, click(`a[href="#/orders"]`), see("a.row-order"))
	page.Screenshot(t, "orders")
	for _, text := range page.Errors() {
		assert.Regexp(t, `the server responded with a status of (409|403)`, text)
	}
}

// atSale opens a page of a buyer at a sale of one virtual thing.
func atSale(t *testing.T, sale site.Sale) (*site.Site, *browser.Page, string) {
	t.Helper()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, sale)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+id), see("#buy"))
	return s, page, id
}

// orders returns how many orders a buyer has.
func orders(t *testing.T, s *site.Site, buyer string) int {
	t.Helper()
	return int(s.Buyer(t, buyer).Call(t, http.MethodGet, "/api/v1/orders", "", nil).JSON(t)["total"].(float64))
}

// Two tabs of one browser buy the same at once: one orders, the other one says that.
func TestTwoTabsOrderOnce(t *testing.T) {
	t.Parallel()
	s, first, sale := atSale(t, site.Sale{})
	second := first.Tab(t, s.URL+"/#/sale/"+sale)
	second.Do(t, see("#buy"))
	first.Do(t, click("#buy"), see("#place"))
	second.Do(t, click("#buy"), see(".problem"))
	first.Do(t, click("#place"), see(".way"))
	s.Drain(t)
	assert.Equal(t, 1, orders(t, s, "ada"))
}
