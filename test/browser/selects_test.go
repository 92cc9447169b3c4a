package browser_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
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

// editorOf opens the form of a draft with two skus at two points each; two more of both are unused.
func editorOf(t *testing.T, s *site.Site, page *browser.Page) (draft string) {
	t.Helper()
	var skus []any
	for i, title := range []string{"Boots", "Course", "Kettle", "Lamp"} {
		id := strings.ToLower(title)
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: id, Title: title, Shop: "shop", Kind: catalogue.Physical, Price: int64(1000 * (i + 1)), Currency: "CNY",
		})
		require.NoError(t, err)
		_, err = s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: strconv.Itoa(i), Name: "Warehouse " + id})
		require.NoError(t, err)
		if i%2 == 0 {
			skus = append(skus, map[string]any{"sku_id": id, "flash_price": 100 * (i + 1), "stock": []any{
				map[string]any{"point_id": "1", "quantity": 5}, map[string]any{"point_id": "3", "quantity": 6},
			}})
		}
	}
	draft = s.Open(t, site.Sale{SKU: "bell", Kind: catalogue.Physical, Draft: true})
	body := activity(t, s, draft)
	body["skus"] = skus
	for _, computed := range []string{
		"activity_id", "state", "lane", "created_at", "updated_at", "published_at", "server_time", "version",
	} {
		delete(body, computed)
	}
	answer := s.Operator(t).Call(t, http.MethodPut, operators+"/activities/"+draft, "", body)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	at(t, page, "#/edit/"+draft)
	page.Do(t, see("form.edit"))
	return draft
}

// What the form of a sale shows is what it stores, whatever the operator chose and however.
func TestTheEditorStoresWhatItsSelectsShow(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	const all = `[...document.querySelectorAll('form.edit select')]`
	names := browser.Run[[]string](t, page, `return `+all+`.map((select) => select.name)`)
	require.ElementsMatch(t, []string{"sku-0", "sku-1", "add-point", "human_check"}, names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "add-point" }) // it has no value
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
					"bell": "Thing bell", "boots": "Boots", "course": "Course", "kettle": "Kettle", "lamp": "Lamp",
				}[id]
			}
			assert.Equal(t, seen, shown, "%s, %q", way, key)
		}
	}
	assert.Empty(t, page.Errors())
}
