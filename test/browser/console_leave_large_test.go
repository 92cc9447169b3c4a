//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
)

// Whoever has typed something into a sale is asked before the view is left, whatever leads away from it.
func TestTheEditorAsksBeforeItIsLeft(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	at(t, page, "#/sales")
	page.Do(t, see("#new"))
	at(t, page, "#/edit/"+draft)
	page.Do(t, see("form.edit"))
	put(t, page, "title", "Typed")
	page.Do(t, see("#unsaved"))
	for name, leave := range map[string]func(){
		"back": func() { browser.Run[bool](t, page, `history.back(); return true`) },
		"the search": func() {
			page.Do(t, click("#find"), chromedp.SendKeys(chromedp.CSS("#search"), "kettle"), click("#hit-0"))
		},
		"a duplicate": func() {
			browser.Run[bool](t, page, `
				[...document.querySelectorAll('.heading button')].find((b) => b.innerText === 'Duplicate').click();
				return true`)
		},
	} {
		leave()
		page.Do(t, click("#stay"), browser.Until(`!document.querySelector('dialog')`))
		assert.Contains(t, page.At(t), "#/edit/"+draft, name)
		assert.Equal(t, "Typed", value(t, page, "title"), name)
	}
	browser.Run[bool](t, page, `history.back(); return true`)
	page.Do(t, click("#leave"), see("#new"))
	assert.Contains(t, page.At(t), "#/sales")
	at(t, page, "#/edit/"+draft)
	reads(t, page, "#restored", "is back")
	assert.Empty(t, page.Errors())
}
