//go:build large

package browser_test

import (
	"testing"

	"onrush/test/browser"
	"onrush/test/kit"
)

// inEachState draws a view at two widths in light and dark, with pictures, and looks for all that axe-core knows.
func inEachState(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Screenshot(t, name)
	for _, scheme := range []string{"light", "dark"} {
		accessibleIn(t, page, name, scheme, `{}`)
	}
}

func TestTheConsoleInAllItsStates(t *testing.T) {
	t.Parallel()
	library := axe(t)
	s, page := openConsole(t, kit.OnEmbedded(t))
	views := busy(t, s)
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/admin", ".attention")
		browser.Run[bool](t, page, library+"; return true")
		for _, v := range views {
			at(t, page, v.address)
			page.Do(t, see(v.sign))
			inEachState(t, page, "console-"+v.name+"-"+language)
		}
	}
}

func TestTheShopInAllItsStates(t *testing.T) {
	t.Parallel()
	library := axe(t)
	s, page := openShop(t, kit.OnEmbedded(t))
	views, voucher, queue := busyShop(t, s, page)
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/", "a.sale")
		browser.Run[bool](t, page, library+"; return true")
		eachOfTheShop(t, page, views, voucher, queue, func(name string) {
			inEachState(t, page, "shop-"+name+"-"+language)
		})
	}
}
