package browser_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

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

// axe returns the text of axe-core. Without it the test is skipped.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(os.Getenv(axeFile))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(axeFile + " does not name axe.min.js")
	}
	require.NoError(t, err)
	return string(text)
}

// accessible checks that axe-core finds nothing serious in what the page shows: in light, and in dark what depends on
// the colours.
func accessible(t *testing.T, page *browser.Page, view string) {
	t.Helper()
	accessibleIn(t, page, view, "light", `{}`)
	accessibleIn(t, page, view, "dark", `{ runOnly: ['color-contrast', 'link-in-text-block'] }`)
}

// accessibleIn does so in a scheme, with options of axe-core.
func accessibleIn(t *testing.T, page *browser.Page, view, scheme, options string) {
	t.Helper()
	page.Scheme(t, scheme)
	assert.Empty(t, browser.Run[[]string](t, page, `
		await Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations < 9)
			.map((a) => a.finished.catch(() => {})));
		const { violations } = await axe.run(document, { resultTypes: ['violations'], ...`+options+` });
		return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) =>
			id + ': ' + nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; '));`),
		"%s, %s", view, scheme)
}

// busyShop fills a program with something for each view of the shop, and returns the views; the first one is a sale
// that a crowd bought.
func busyShop(t *testing.T, s *site.Site, page *browser.Page) (views []view, voucher string) {
	t.Helper()
	ada := s.Buyer(t, "ada")
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	voucher = s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	s.Open(t, site.Sale{SKU: "line", PathsPerSecond: 1})
	ada.Address(t, "east")
	order := ada.Buy(t, voucher, "spa", "k").JSON(t)["order_number"].(string)
	crowd(t, s, sale, 150)
	browser.Run[bool](t, page, `localStorage.setItem('basket',
		'[{"sku_id":"lamp","title":"Lamp","kind":"physical","quantity":2}]'); return true`)
	return []view{
		{"sale", "#/sale/" + sale, ".outcome.over"},
		{"sales", "#/", "a.sale"},
		{"goods", "#/goods", ".cards .go"},
		{"basket", "#/basket", "#order"},
		{"orders", "#/orders", "a.row-order"},
		{"order", "#/order/" + order, ".way"},
		{"addresses", "#/addresses", ".list .card"},
	}, voucher
}

// speak loads the page at an address in a language.
func speak(t *testing.T, page *browser.Page, language, address, sign string) {
	t.Helper()
	browser.Run[bool](t, page, `localStorage.setItem('language', '`+language+`'); return true`)
	page.Do(t, chromedp.Navigate(address), chromedp.Reload(), see(sign))
}

// Each view of the shop is drawn in English and Chinese without an error.
func TestEachViewOfTheShop(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	views, voucher := busyShop(t, s, page)
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/", "a.sale")
		eachOfTheShop(t, page, views, voucher, func(name string) { complete(t, page, name+" in "+language) })
	}
	assert.Empty(t, page.Errors())
}

// Each view of the shop, in light and dark.
func TestTheShopIsAccessible(t *testing.T) {
	t.Parallel()
	library := axe(t)
	s, page := openShop(t, kit.OnEmbedded(t))
	views, voucher := busyShop(t, s, page)
	speak(t, page, "en", s.URL+"/", "a.sale")
	browser.Run[bool](t, page, library+"; return true")
	eachOfTheShop(t, page, views, voucher, func(name string) { accessible(t, page, name) })
}

// eachOfTheShop goes to each view of the shop, and opens its dialog and its drawer.
func eachOfTheShop(t *testing.T, page *browser.Page, views []view, voucher string, look func(name string)) {
	t.Helper()
	for _, v := range views {
		at(t, page, v.address)
		page.Do(t, see(v.sign))
		look(v.name)
	}
	at(t, page, "#/sale/"+voucher)
	page.Do(t, click("#buy"), see("dialog #place"))
	look("confirm")
	page.Do(t, click("dialog .quiet"), chromedp.WaitNotPresent(chromedp.CSS("dialog"), rarely),
		click("button[aria-expanded]"), see(".drawer .exchange"))
	look("drawer")
}
