//go:build large

package browser_test

import (
	"testing"

	"onrush/test/browser"
	"onrush/test/kit"
)

// inEachState draws a view with pictures, if they are asked for, and looks for what axe-core knows in light and dark.
func inEachState(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Screenshot(t, name)
	accessible(t, page, name)
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
	})
}
