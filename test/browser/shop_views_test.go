package browser_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// axeFile is the variable that names axe.min.js of axe-core, which finds what keeps people from using a page. It is
// half a megabyte, so it is not in the repository; .ci/run fetches it.
const axeFile = "ONRUSH_TEST_AXE"

// axe returns the text of axe-core. Without it, views are drawn and not checked, which the log says.
func axe(t *testing.T) string {
	t.Helper()
	library, err := os.ReadFile(os.Getenv(axeFile))
	if errors.Is(err, fs.ErrNotExist) {
		t.Log("accessibility is not checked: " + axeFile + " does not name axe.min.js")
		return "window.axe = { run: async () => ({ violations: [] }) }"
	}
	require.NoError(t, err)
	return string(library)
}

// loadAxe loads axe-core into the page and returns a check of what the page shows.
func loadAxe(t *testing.T, page *browser.Page) (check func(view string)) {
	t.Helper()
	browser.Run[bool](t, page, axe(t)+"; return true")
	return func(view string) { t.Helper(); accessible(t, page, view) }
}

// accessible checks that axe-core finds nothing serious in what the page shows: in light, and in dark what depends on
// the colours.
func accessible(t *testing.T, page *browser.Page, view string) {
	t.Helper()
	for _, in := range []struct{ scheme, options string }{
		{"light", `{}`}, {"dark", `{ runOnly: ['color-contrast', 'link-in-text-block'] }`},
	} {
		page.Scheme(t, in.scheme)
		assert.Empty(t, browser.Run[[]string](t, page, `
			await Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations < 9)
				.map((a) => a.finished.catch(() => {})));
			const { violations } = await axe.run(document, { resultTypes: ['violations'], ...`+in.options+` });
			return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) =>
				id + ': ' + nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; '));`),
			"%s, %s", view, in.scheme)
	}
}

// busyShop fills a program with something for each view of the shop, and returns the views; the first one is a sale
// that a crowd bought.
func busyShop(t *testing.T, s *site.Site, page *browser.Page) (views []view, voucher, queue string) {
	t.Helper()
	ada := s.Buyer(t, "ada")
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	voucher = s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	queue = s.Open(t, site.Sale{SKU: "line", PathsPerSecond: 0.01})
	for _, name := range []string{"bob", "carol", "dave"} {
		s.Buyer(t, name).Call(t, http.MethodPost, "/api/v1/seckill/line", "", map[string]string{"activity_id": queue})
	}
	ada.Address(t, "east")
	order := ada.Buy(t, voucher, "spa", "k").JSON(t)["order_number"].(string)
	crowd(t, s, sale, 150)
	browser.Run[bool](t, page, `localStorage.setItem('basket',
		'[{"sku_id":"lamp","title":"Lamp","kind":"physical","quantity":2}]'); return true`)
	return []view{
		{"sale", "#/sale/" + sale, ".outcome.over"},
		{"sales", "#/", "a.sale"},
		{"goods", "#/goods", ".cards .add"},
		{"basket", "#/basket", "#order"},
		{"orders", "#/orders", "a.row-order"},
		{"order", "#/order/" + order, ".way"},
		{"addresses", "#/addresses", ".list .card"},
	}, voucher, queue
}

// speak loads the page at an address in a language.
func speak(t *testing.T, page *browser.Page, language, address, sign string) {
	t.Helper()
	browser.Run[bool](t, page, `localStorage.setItem('language', '`+language+`'); return true`)
	page.Do(t, chromedp.Navigate(address), chromedp.Reload(), see(sign))
}

// fitsAZoom checks that a view which is shown at twice its size is not cut, and doesn't scroll sideways: its page is
// half as wide and as high then, and stays so. A chart takes the new width a moment later.
func fitsAZoom(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Do(t, chromedp.EmulateViewport(640, 422))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Empty(c, browser.Run[[]string](t, page, `
			const { scrollWidth, clientWidth } = document.documentElement;
			return [...document.querySelectorAll('main *, dialog *')]
				.filter((e) => e.checkVisibility() && scrollWidth > clientWidth &&
					e.getBoundingClientRect().right > clientWidth)
				.map((e) => e.tagName + '.' + e.className + ' ' + e.innerText?.slice(0, 40))`))
	}, time.Minute, 100*time.Millisecond, "%s at 200 %%", name)
}

// Each view of the shop is drawn in English and Chinese without an error; in English, what axe-core knows is checked in
// light and dark. In Chinese the same elements have other texts, of which none is missing, as web/pages tests.
func TestEachViewOfTheShop(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	views, voucher, queue := busyShop(t, s, page)
	speak(t, page, "en", s.URL+"/", "a.sale")
	check := loadAxe(t, page)
	eachOfTheShop(t, page, views, voucher, queue, func(name string) {
		complete(t, page, name)
		page.Screenshot(t, "shop-"+name+"-en")
		check(name)
	})
	speak(t, page, "zh", s.URL+"/", "a.sale")
	eachOfTheShop(t, page, views, voucher, queue, func(name string) {
		complete(t, page, name+" in Chinese")
		page.Screenshot(t, "shop-"+name+"-zh")
		fitsAZoom(t, page, name)
		page.Do(t, chromedp.EmulateViewport(1280, 844))
	})
	for _, text := range page.Errors() { // the waiting room's refusal, as the browser's console shows it
		assert.Contains(t, text, "the server responded with a status of 409")
	}
}

// eachOfTheShop goes to each view of the shop, waits in a waiting room, and opens its dialog and its drawer.
func eachOfTheShop(t *testing.T, page *browser.Page, views []view, voucher, queue string, look func(name string)) {
	t.Helper()
	for _, v := range views {
		at(t, page, v.address)
		page.Do(t, see(v.sign))
		look(v.name)
	}
	at(t, page, "#/sale/"+queue)
	page.Do(t, click("#buy"), see(".waiting .figure"))
	look("waiting room")
	page.Do(t, click("#leave"), see("#buy"))
	at(t, page, "#/sale/"+voucher)
	page.Do(t, click("#buy"), see("dialog #place"))
	look("confirm")
	page.Do(t, click("dialog .quiet"), chromedp.WaitNotPresent(chromedp.CSS("dialog"), rarely),
		click(".demo summary"), click("#requests"), see(".drawer .exchange"))
	look("drawer")
}
