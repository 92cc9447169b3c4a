//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// The search finds all that an operator may look for, by the keyboard alone.
func TestTheSearchFindsEverything(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	draft := s.Open(t, site.Sale{SKU: "bell", Draft: true})
	find := func(text string, keys ...string) {
		t.Helper()
		page.Do(t, chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)), see("#search"))
		assert.True(t, focused(t, page, "#search"))
		page.Do(t, chromedp.SendKeys(chromedp.CSS("#search"), text))
		for _, key := range keys {
			page.Do(t, chromedp.KeyEvent(key))
		}
	}
	find("HAR")
	reads(t, page, "#hits", `^Goods\s+Harp\s+harp$`)
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("tbody tr"))
	reads(t, page, "tbody", "^[^]*Harp")
	assert.Contains(t, page.At(t), "#/goods?sku_id=harp")
	reads(t, page, "main", "All goods")

	find(draft, kb.Enter) // before the answers are there
	page.Do(t, see("form.edit"))
	find(order, kb.Enter)
	page.Do(t, see(".facts"))
	assert.Contains(t, page.At(t), "#/order/"+order)

	find("ada")
	reads(t, page, "#hits", `User\s+ada`)
	page.Do(t, click("#hit-0"), see("tbody tr"))
	assert.Contains(t, page.At(t), "#/user/ada")

	find("sale")
	reads(t, page, "#hits", `Sale[^]*Draft|Draft[^]*Sale`)
	page.Screenshot(t, "console-search")
	first := browser.Run[string](t, page, `return document.querySelector('[aria-selected=true] code').innerText`)
	page.Do(t, chromedp.KeyEvent(kb.ArrowDown))
	page.Do(t, browser.Until(`document.querySelector('[aria-selected=true] code').innerText !== '`+first+`'`))
	page.Do(t, chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('dialog')`))

	find("nothing of this name")
	reads(t, page, ".finder [role=status]", "Nothing was found")
	page.Do(t, chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('dialog')`))
	assert.Empty(t, page.Errors())
}

// Enter opens the hit that is marked, also when others come before it meanwhile.
func TestTheSearchKeepsTheMarkedHit(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "ada"})
	s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{SKU: "bell"}), "bell", "k")
	s.Drain(t)
	browser.Run[bool](t, page, `
		const real = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await real(url, options);
			if (url.includes('/search?')) await new Promise((resolve) => { window.release = resolve; });
			return answer;
		};
		return true`)
	const marked = `document.querySelector('[aria-selected=true]')?.innerText`
	page.Do(t, click("#find"), chromedp.SendKeys(chromedp.CSS("#search"), "ada"))
	page.Do(t, browser.Until(marked+`?.startsWith('Goods') && window.release`))
	browser.Run[bool](t, page, `release(); return true`)
	reads(t, page, "#hits", `User\s+ada[^]*Goods`)
	assert.Contains(t, browser.Run[string](t, page, `return `+marked), "Goods")
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("tbody tr"))
	assert.Contains(t, page.At(t), "#/goods?sku_id=ada")
	assert.Empty(t, page.Errors())
}

// On a phone the search is a button, and its dialog and the header fit.
func TestTheSearchFitsAPhone(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	page.Do(t, chromedp.EmulateViewport(390, 844), see("#find"))
	header := browser.Run[[]float64](t, page, `
		const { height } = document.querySelector('.top').getBoundingClientRect();
		const right = Math.max(...[...document.querySelectorAll('.top > *')]
			.map((part) => part.getBoundingClientRect().right));
		return [height, right, document.documentElement.scrollWidth]`)
	assert.Less(t, header[0], 70.0, "in one row")
	assert.LessOrEqual(t, header[1], 390.0)
	assert.LessOrEqual(t, header[2], 390.0)
	page.Do(t, click("#find"), see("#search"))
	dialog := browser.Run[[]float64](t, page, `
		const { left, right, top, bottom } = document.querySelector('dialog').getBoundingClientRect();
		return [left, right, top, bottom]`)
	assert.GreaterOrEqual(t, dialog[0], 0.0)
	assert.LessOrEqual(t, dialog[1], 390.0)
	assert.LessOrEqual(t, dialog[3], 844.0)
}

// The list of sales is searched by a part of a title or an id, on the server.
func TestTheListOfSalesIsSearched(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	tea, cup := s.Open(t, site.Sale{SKU: "tea"}), s.Open(t, site.Sale{SKU: "cup"})
	s.Operator(t).ChangeActivity(t, tea, client.ActivityChange{Title: "Tea 100% off"})
	at(t, page, "#/sales")
	page.Do(t, browser.Until(`document.querySelectorAll("tbody tr").length === 2`))
	put(t, page, "q", "0% OFF")
	page.Do(t, browser.Until(`document.querySelectorAll("tbody tr").length === 1`))
	reads(t, page, "tbody", "Tea 100% off")
	put(t, page, "q", cup[:12])
	page.Do(t, see(`tbody a[href$="`+cup+`"]`))
	put(t, page, "q", "desk")
	reads(t, page, ".empty", "No sale has this")
	at(t, page, "#/goods")
	put(t, page, "q", "TE")
	page.Do(t, browser.Until(`document.querySelectorAll("tbody tr").length === 1`))
	reads(t, page, "tbody", "Tea")
	put(t, page, "q", "desk")
	reads(t, page, ".empty", "No goods have this")
}
