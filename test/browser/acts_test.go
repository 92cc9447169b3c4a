package browser_test

// What tests of several files do in pages and read there.

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

const calm = "All clear"

// text returns what an element shows.
func text(t *testing.T, page *browser.Page, selector string) string {
	t.Helper()
	return browser.Run[string](t, page, `return document.querySelector('`+selector+`').innerText`)
}

// answers changes what the page is told: each answer at an address that ends with a key becomes the JSON that an
// expression of it makes, or an error of the server where the expression throws.
func answers(t *testing.T, page *browser.Page, changes map[string]string) {
	t.Helper()
	var js strings.Builder
	for end, change := range changes {
		js.WriteString("[/" + end + `$/, (body) => { ` + change + "; return body; }],")
	}
	browser.Run[bool](t, page, `
		window.realFetch ??= window.fetch;
		const changes = [`+js.String()+`];
		window.fetch = async (url, options) => {
			const answer = await window.realFetch(url, options);
			const [, change] = changes.find(([end]) => end.test(url.split('?')[0])) ?? [];
			if (!change) return answer;
			const headers = { 'Content-Type': 'application/json' };
			try {
				return new Response(JSON.stringify(change(await answer.json())), { status: answer.status, headers });
			} catch {
				return new Response('{"code":"not_answered"}', { status: 500, headers });
			}
		};
		return true`)
}

// hurry lets a page wait a tenth of the 3 or 5 seconds between two reads, until it is loaded again. Shorter and longer
// times, such as the times of Until, stay.
func hurry(t *testing.T, page *browser.Page) {
	t.Helper()
	browser.Run[bool](t, page, `
		const later = window.setTimeout;
		window.setTimeout = (act, ms, ...values) => later(act, ms === 3000 || ms === 5000 ? ms / 10 : ms, ...values);
		return true`)
}

func findSaleThatRedisLacks(t *testing.T, stores *kit.Stores) {
	t.Helper()
	s, page := openConsole(t, stores, site.Idle())
	runs := s.Open(t, site.Sale{SKU: "bell"})
	comes := s.Open(t, site.Sale{SKU: "drum", StartsIn: 10 * time.Minute})
	later := s.Open(t, site.Sale{SKU: "harp", StartsIn: 3 * time.Hour, EndsIn: 4 * time.Hour})
	for _, id := range []string{runs, comes, later} {
		lane := int(activity(t, s, id)["lane"].(float64))
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(lane, id)).Err())
	}
	reads(t, page, ".attention", "runs and sells nothing[^]*is not ready:\\s*Not yet loaded into Redis")
	page.Screenshot(t, "console-unready")
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#load-`+later+`'))`))
	page.Do(t, click("#load-"+runs), browser.Until(`!document.querySelector('#load-`+runs+`')`))
	page.Do(t, click("#load-"+comes))
	reads(t, page, ".attention", calm)
}

// value returns what a field of a form has.
func value(t *testing.T, page *browser.Page, name string) string {
	t.Helper()
	return browser.Run[string](t, page, `return document.querySelector('[name=`+name+`]').value`)
}

// paid sells an order and reports its payment.
func paid(t *testing.T, s *site.Site, sku string, amount int64) (order string) {
	t.Helper()
	ada := s.Buyer(t, "ada")
	order = ada.Buy(t, s.Open(t, site.Sale{SKU: sku, Price: amount}), sku, sku).JSON(t)["order_number"].(string)
	s.Drain(t)
	payment := site.Payment{
		Number: ada.Pay(t, sku, order).JSON(t)["pay_number"].(string), Transaction: "txn-" + sku, Amount: amount,
		Currency: "CNY",
	}
	s.Money(t, payment)
	told, err := s.Notify(t.Context(), payment)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	return order
}

// later lets a minute pass for a page.
func later(t *testing.T, page *browser.Page) {
	t.Helper()
	browser.Run[bool](t, page, `
		const now = Date.now;
		Date.now = () => now() + 60_000;
		return true`)
}

// focused reports whether an element that a selector matches has the focus.
func focused(t *testing.T, page *browser.Page, selector string) bool {
	t.Helper()
	return browser.Run[bool](t, page, `return document.activeElement.matches(`+strconv.Quote(selector)+`)`)
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

const (
	ahead  = `^\d ahead of you$`
	trying = "^This does not work for a moment. You need not do anything"
)

// stored returns a field of the wait in a sale as the browser keeps it, as JSON.
func stored(t *testing.T, page *browser.Page, sale, field string) string {
	t.Helper()
	return browser.Run[string](t, page, `
		const wait = JSON.parse(localStorage.getItem('wait:`+sale+`'));
		return JSON.stringify(wait?.`+field+`) ?? '';`)
}

// reads waits until an element has a text, which is a regular expression. A space stands for one that doesn't break,
// too.
func reads(t *testing.T, page *browser.Page, selector, text string) {
	t.Helper()
	found := `document.querySelector(` + strconv.Quote(selector) + `)?.innerText.replaceAll('\u00a0', ' ')`
	if !page.Reaches(browser.Until(`new RegExp(` + strconv.Quote(text) + `).test(` + found + `)`)) {
		require.Fail(t, "text not found", "%q in %q, page %q", text,
			browser.Run[string](t, page, `return String(`+found+`)`), page.Errors())
	}
}

// count returns how many elements a selector matches.
func count(t *testing.T, page *browser.Page, selector string) int {
	t.Helper()
	return browser.Run[int](t, page, `return document.querySelectorAll(`+strconv.Quote(selector)+`).length`)
}
