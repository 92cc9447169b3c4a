//go:build large

package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
)

// The editor lists its sections with what is wrong, missing, and to look at in each, and leads there. The list and the
// buttons that save stay in view wherever the reader is.
func TestTheEditorListsItsSectionsAndWhatTheyLack(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	editorOf(t, s, page)
	page.Do(t, see("#to-what"))
	both := browser.Run[[][]string](t, page, `
		const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText);
		return [texts('.sections li button > span:first-child'), texts('.edit h2')]`)
	assert.Equal(t, both[1], both[0])
	reads(t, page, "#to-what", `What[^]*Complete`)

	put(t, page, "title", "")
	reads(t, page, "#to-what", `What\s+To fill in: 1`)
	stays := func(where string) {
		t.Helper()
		page.Do(t, browser.Until(`[...document.querySelectorAll('.sections, #save, #check')].every((e) => {
			const { top, bottom } = e.getBoundingClientRect();
			return e.checkVisibility() && top >= 0 && bottom <= innerHeight;
		})`))
		assert.False(t, browser.Run[bool](t, page, `
			return document.documentElement.scrollWidth > innerWidth`), where)
	}
	for _, width := range []int64{1280, 390} {
		page.Do(t, chromedp.EmulateViewport(width, 844))
		for _, part := range []string{"0.02", "0.5", "1"} {
			browser.Run[bool](t, page, `scrollTo(0, document.body.scrollHeight * `+part+`); return true`)
			stays(fmt.Sprintf("at %s of the page, %d px wide", part, width))
		}
	}
	page.Do(t, chromedp.EmulateViewport(1280, 844), click("#to-what"))
	assert.True(t, focused(t, page, "[name=title]"))

	put(t, page, "title", "Boots")
	reads(t, page, "#to-what", `What\s+✓`)
	put(t, page, "ends_at", value(t, page, "starts_at"))
	page.Do(t, click("#save"), see("#wrong"))
	reads(t, page, "#to-when", `When\s+Errors: 1`)
	page.Do(t, click("#to-skus"))
	page.Do(t, browser.Until(`document.querySelector('#to-skus').ariaCurrent === 'true'`), click("#to-when"))
	assert.True(t, focused(t, page, "[name=ends_at]"))
	page.Screenshot(t, "console-edit-sections")

	put(t, page, "ends_at", local(time.Now().Add(5*time.Hour)))
	put(t, page, "price-0", "10.00")
	page.Do(t, click("#check"), see("#checks"))
	reads(t, page, "#to-skus", `What is sold\s+Warnings: \d`)
	reads(t, page, "#checks", `^Before you publish\s+Serious\s+A crash of Redis may lose orders[^]*`+
		`Serious\s+Buyers can't pay[^]*Warning\s+Boots, Kettle: no purchase limit`)
	assert.Len(t, browser.Run[[]float64](t, page, `
		const texts = [...document.querySelectorAll('#checks > ul > li > :last-child')];
		return [...new Set(texts.map((text) => text.getBoundingClientRect().left))]`), 1, "all texts begin at one edge")
	reads(t, page, "#to-checks", `Before you publish\s+(Errors: \d+\s+)?Warnings: \d`)
	browser.Run[bool](t, page, `scrollTo(0, document.body.scrollHeight); return true`)
	stays("below the checks")
	page.Screenshot(t, "console-edit-checked")
	for _, text := range page.Errors() {
		assert.Contains(t, text, "422")
	}
}
