//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// Every component in every state is accessible, in both languages, in light and dark, and fits a phone.
func TestTheDesignPageIsAccessibleAndFitsAPhone(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	page := browser.Open(t).Page(t, s.URL+"/dev/design")
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/dev/design", "#problems .problem")
		page.Screenshot(t, "design-"+language)
		page.Do(t, chromedp.EmulateViewport(360, 640))
		assert.Zero(t, browser.Run[int](t, page,
			`return document.documentElement.scrollWidth - document.documentElement.clientWidth`), "sideways")
		page.Do(t, chromedp.EmulateViewport(1280, 844), click("#open-dialog"), see("dialog[open]"))
		page.Screenshot(t, "design-dialog-"+language)
		page.Do(t, click("dialog .quiet"), browser.Until(`!document.querySelector('dialog')`))
		page.Do(t, click("#say"), see("#undo"), click("#menu summary"), see("#menu .danger"),
			click("#open-secret"), see("#copy-secret"), click("#close-secret"), see("#undo"))
		page.Do(t, see("#addresses input[name=receiver]"), see("#buying .qr path"))
		complete(t, page, "design in "+language)
		loadAxe(t, page)("design in " + language) // each in light and dark
		page.Do(t, click("#open-confirm"), see("dialog #place"), click("dialog .quiet"))
	}
}
