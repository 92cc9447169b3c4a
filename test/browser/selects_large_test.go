//go:build large

package browser_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
)

// shownIn returns the text that a select shows.
func shownIn(t *testing.T, page *browser.Page, selector string) string {
	t.Helper()
	return browser.Run[string](t, page, `
		return document.querySelector(`+strconv.Quote(selector)+`).selectedOptions[0]?.text ?? ''`)
}

// redraw lets the views draw themselves again, with the text that a field has.
func redraw(t *testing.T, page *browser.Page, field string) {
	t.Helper()
	put(t, page, field, value(t, page, field)+"!")
}

// ways are how people choose the next or the previous option of a select.
var ways = map[string]func(t *testing.T, page *browser.Page, selector, key string){
	"key": func(t *testing.T, page *browser.Page, selector, key string) {
		t.Helper()
		page.Do(t, chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(key))
	},
	"mouse": func(t *testing.T, page *browser.Page, selector, key string) {
		t.Helper()
		page.Do(t, click(selector), chromedp.KeyEvent(key), chromedp.KeyEvent(kb.Enter))
	},
	"mouse, drawn again while it is open": func(t *testing.T, page *browser.Page, selector, key string) {
		t.Helper()
		page.Do(t, click(selector), chromedp.KeyEvent(key))
		redraw(t, page, "title")
		page.Do(t, chromedp.KeyEvent(kb.Enter))
	},
}

// What the form of a sale shows is what it stores, whatever the operator chose and however.
func TestTheEditorStoresWhatItsSelectsShow(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	page.Do(t, click("#more-limits summary"))
	const all = `[...document.querySelectorAll('form.edit select')]`
	names := browser.Run[[]string](t, page, `return `+all+`.map((select) => select.name)`)
	require.ElementsMatch(t,
		[]string{
			"sku-0", "sku-1", "add-point", "mode", "human_check", "eligible_list", "eligible_code",
			"reserved_list", "reserved_code",
		}, names)
	names = []string{"sku-0", "sku-1", "human_check"} // the others have no value, or yes and no
	for way, choose := range ways {
		for _, key := range []string{kb.ArrowDown, kb.ArrowUp, kb.ArrowUp} {
			for _, name := range names {
				choose(t, page, "form.edit [name="+name+"]", key)
				if way == "key" {
					redraw(t, page, "title")
				}
			}
			shown := make(map[string]string, len(names))
			for _, name := range names {
				shown[name] = shownIn(t, page, "form.edit [name="+name+"]")
			}
			page.Do(t, click("#save"), see("#saved"))
			stored := activity(t, s, draft)
			seen := map[string]string{"human_check": map[string]string{
				"none": "None", "pow": "Proof of work", "captcha": "Captcha",
			}[stored["human_check"].(string)]}
			for i, sku := range stored["skus"].([]any) {
				sku := sku.(map[string]any)
				id := sku["sku_id"].(string)
				seen[fmt.Sprintf("sku-%d", i)] = map[string]string{
					"bell": "Bell", "boots": "Boots", "course": "Course", "kettle": "Kettle", "lamp": "Lamp",
				}[id]
			}
			assert.Equal(t, seen, shown, "%s, %q", way, key)
		}
	}
	assert.Empty(t, page.Errors())
}
