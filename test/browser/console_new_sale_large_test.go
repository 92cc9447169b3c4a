//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A new sale is kept as well, and is made once with the id that it had.
func TestANewSaleIsKeptUntilItIsSaved(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell", Draft: true})
	at(t, page, "#/edit")
	page.Do(t, see("form.edit"))
	put(t, page, "title", "Begun")
	page.Do(t, see("#unsaved"), chromedp.Navigate(s.URL+"/docs"),
		chromedp.Navigate(s.URL+"/admin#/edit"), see("#restored"))
	assert.Equal(t, "Begun", value(t, page, "title"))
	page.Do(t, click("#save"), see("#saved"))
	put(t, page, "title", "Begun again")
	page.Do(t, see("#unsaved"))
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#restored'))`), "it was saved")
	page.Do(t, click("#save"), see("#saved"))
	at(t, page, "#/")
	page.Do(t, see(".attention"))
	at(t, page, "#/edit")
	page.Do(t, see("form.edit"))
	assert.Empty(t, value(t, page, "title"), "the next new sale is empty")
	for _, text := range page.Errors() {
		assert.Contains(t, text, "beforeunload", "Chromium asks only those who have clicked")
	}
}

// An answer that is lost makes no second draft.
func TestANewSaleIsMadeOnce(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/edit")
	page.Do(t, see("form.edit"))
	put(t, page, "title", "Lost and found")
	browser.Run[bool](t, page, `
		const real = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await real(url, options);
			if (!options?.body) return answer;
			window.fetch = real;
			throw new TypeError('Failed to fetch');
		};
		return true`)
	page.Do(t, click("#save"), see(".edit .problem"), click("#save"), see("#saved"))
	put(t, page, "title", "Found")
	page.Do(t, click("#save"), browser.Until(`document.querySelector('h1').innerText === 'Found'`))
	list := s.Operator(t).Call(t, http.MethodGet, operators+"/activities?state=draft", "", nil).JSON(t)
	assert.Len(t, list["items"], 1)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "409")
	}
}

// Two tabs make a new sale of the same form, which the browser has kept. None of the two replaces the other.
func TestTwoTabsMakeNoSaleOutOfAnother(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/edit")
	page.Do(t, see("form.edit"))
	put(t, page, "title", "Kept")
	page.Do(t, see("#unsaved"))
	tab := page.Tab(t, s.URL+"/admin#/edit")
	tab.Do(t, see("#restored"))
	put(t, tab, "title", "Of the second tab")
	page.Do(t, click("#save"), see("#saved"))
	tab.Do(t, click("#save"), see("#stale-apart"))
	titles := func() (all []any) {
		list := s.Operator(t).Call(t, http.MethodGet, operators+"/activities?state=draft", "", nil).JSON(t)
		for _, item := range list["items"].([]any) {
			all = append(all, item.(map[string]any)["title"])
		}
		return all
	}
	assert.Equal(t, []any{"Kept"}, titles())
	tab.Do(t, click("#stale-apart"), click("#save"), see("#saved"))
	assert.ElementsMatch(t, []any{"Kept", "Of the second tab"}, titles())

	at(t, page, "#/edit")
	page.Do(t, see("form.edit #check"), browser.Until(`!document.querySelector('[name=title]').value`))
	put(t, page, "title", "Dropped")
	page.Do(t, see("#unsaved"))
	another := page.Tab(t, s.URL+"/admin#/edit")
	another.Do(t, click("#restored button"))
	assert.Empty(t, value(t, another, "title"))
	put(t, another, "title", "Anew")
	another.Do(t, click("#save"), see("#saved"))
	page.Do(t, click("#save"), see("#saved"))
	assert.Len(t, titles(), 4, "what was discarded and what was kept have ids of their own")
	for _, text := range append(page.Errors(), tab.Errors()...) {
		assert.Contains(t, text, "409")
	}
}
