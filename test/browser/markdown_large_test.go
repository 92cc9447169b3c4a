//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator writes Markdown, sees in the editor what becomes of it, and buyers see the same. HTML stays text.
func TestADescriptionInMarkdownIsDrawnInTheEditorAndTheShop(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	text := "A **bright** bell\n\n- brass\n- [more](https://shop.example/bell)\n\n" +
		"<img src=x onerror=\"window.hacked = 1\"> [no](javascript:window.hacked=1)"
	at(t, page, "#/goods")
	page.Do(t, click("tbody tr button"))
	put(t, page, "description", text)
	shown := []string{"bright", "brass", "more"}
	drawn := func(inside string) []string {
		return browser.Run[[]string](t, page, `
			return [...document.querySelectorAll('`+inside+` .formatted :is(strong, li, a)')]
				.filter((at) => !at.matches('li') || !at.querySelector('a')).map((at) => at.innerText)`)
	}
	page.Do(t, see("dialog .formatted"))
	assert.Equal(t, shown, drawn("dialog"))

	changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "", map[string]string{
		"description": text,
	})
	require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".about .formatted"))
	assert.Equal(t, shown, drawn(".about"))
	assert.Equal(t, []string{"https://shop.example/bell", "noopener nofollow"}, browser.Run[[]string](t, page, `
		const link = document.querySelector('.formatted a');
		return [link.href, link.rel]`))
	reads(t, page, ".about .formatted", `<img src=x onerror="window.hacked = 1"> \[no\]\(javascript:`)
	assert.False(t, browser.Run[bool](t, page, `return 'hacked' in window`))
	page.Do(t, chromedp.Navigate(s.URL+"/"), see(".card"))
	assert.Empty(t, page.Errors())
}
