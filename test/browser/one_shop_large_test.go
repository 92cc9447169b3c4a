//go:build large

package browser_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
)

// refusals are the requests of the page that were refused since it was loaded, but for sign-ins.
const refusals = `return performance.getEntriesByType('resource').filter((r) => r.responseStatus >= 400)
	.map((r) => r.responseStatus + ' ' + new URL(r.name).pathname)`

// An operator of one shop is shown nothing that such operators may not use: no view asks for what the server refuses,
// and no link leads to a view that is not theirs.
func TestNothingIsRefusedToAnOperatorOfOneShop(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	views := busy(t, s)
	made := s.Operator(t).Call(t, http.MethodPost, operators+"/keys", "shop",
		map[string]string{"name": "olga", "scope": "admin", "shop_id": "shop"})
	require.Equal(t, http.StatusCreated, made.Status, "%s", made.Body)
	browser.Run[bool](t, page, `
		performance.setResourceTimingBufferSize(10000);
		sessionStorage.setItem('operator_token', '`+made.JSON(t)["secret"].(string)+`');
		return true`)
	page.Do(t, chromedp.Reload())
	reads(t, page, ".who", `olga\s+shop$`)
	reads(t, page, ".attention", `is flagged|The buyer paid`)
	reads(t, page, "#figure-running_now", `\d`)

	const notTheirs = "This view is for operators of all shops."
	const drawn = `document.querySelector('main :is(.problem, h1, form)') &&
		!document.querySelector('main').innerText.includes('Loading')`
	quiet := func(view string) {
		t.Helper()
		require.True(t, page.Reaches(browser.Until(drawn)), "%s shows %s", view, text(t, page, "main"))
		assert.Empty(t, browser.Run[[]string](t, page, refusals), view)
	}
	theirs, links := []string{}, []string{}
	for _, v := range views {
		at(t, page, v.address)
		quiet(v.name)
		if strings.HasPrefix(text(t, page, "main"), notTheirs) {
			continue
		}
		theirs = append(theirs, v.name)
		page.Screenshot(t, "console-one-shop-"+v.name)
		links = append(links, browser.Run[[]string](t, page, `
			return [...document.querySelectorAll('#app a[href^="#/"]')].map((link) => link.getAttribute('href'))`)...)
	}
	for _, name := range []string{
		"today", "sales", "live", "edit", "edit-published", "orders", "payments", "refunds", "order", "payment",
		"voucher", "goods", "points",
	} {
		assert.Contains(t, theirs, name)
	}
	slices.Sort(links)
	for _, link := range slices.Compact(links) {
		at(t, page, link)
		quiet(link)
		assert.NotContains(t, text(t, page, "main"), notTheirs, link)
	}
	assert.Greater(t, len(links), 30)

	at(t, page, "#/goods")
	page.Do(t, see("tbody tr"), click("tbody tr button"), see("dialog [name=title]"))
	assert.Zero(t, count(t, page, "[name=shop_id]"), "it is theirs")
	put(t, page, "title", "A lamp")
	page.Do(t, click("dialog button.go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "tbody", "A lamp")
	assert.Empty(t, page.Errors())
}
