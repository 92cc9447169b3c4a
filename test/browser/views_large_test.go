//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
)

// inEachState draws a view with pictures, if they are asked for, and looks for what axe-core knows in light and dark.
func inEachState(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Screenshot(t, name)
	accessible(t, page, name)
}

// fitsAZoom checks that a view which is shown at twice its size is not cut, and doesn't scroll sideways: its page is
// half as wide and as high then.
func fitsAZoom(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Do(t, chromedp.EmulateViewport(640, 422))
	assert.Empty(t, browser.Run[[]string](t, page, `
		const { scrollWidth, clientWidth } = document.documentElement;
		return [...document.querySelectorAll('main *, dialog *')]
			.filter((e) => e.checkVisibility() && scrollWidth > clientWidth &&
				e.getBoundingClientRect().right > clientWidth)
			.map((e) => e.tagName + '.' + e.className + ' ' + e.innerText.slice(0, 40))`), "%s at 200 %%", name)
	page.Do(t, chromedp.EmulateViewport(1280, 844))
}

// TestEachViewOfTheConsole looks at the views in English.
func TestEachViewOfTheConsoleIsAccessibleInChinese(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	views := busy(t, s)
	speak(t, page, "zh", s.URL+"/admin", ".attention")
	check := loadAxe(t, page)
	for _, v := range views {
		at(t, page, v.address)
		page.Do(t, see(v.sign))
		page.Screenshot(t, "console-"+v.name+"-zh")
		check(v.name)
		fitsAZoom(t, page, v.name)
	}
}

// TestEachViewOfTheShop looks at the views in English.
func TestEachViewOfTheShopIsAccessibleInChinese(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	views, voucher, queue := busyShop(t, s, page)
	speak(t, page, "zh", s.URL+"/", "a.sale")
	check := loadAxe(t, page)
	eachOfTheShop(t, page, views, voucher, queue, func(name string) {
		page.Screenshot(t, "shop-"+name+"-zh")
		check(name)
		fitsAZoom(t, page, name)
	})
}
