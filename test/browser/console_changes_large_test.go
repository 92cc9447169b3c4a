//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// Each change says in words what was done and to what, and leads there.
func TestChangesHaveTitlesAndLinks(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell", Draft: true})
	op := s.Operator(t)
	op.PublishActivity(t, sale)
	require.Less(t, op.Call(t, http.MethodPost, operators+"/jobs/audit/pause", "", nil).Status, 300)
	at(t, page, "#/changes")
	page.Do(t, see("tbody tr"))
	reads(t, page, "tbody", `Paused a job\s+Job\s+Check the units\s+audit`)
	reads(t, page, "tbody", `Published a sale\s+Sale\s+Sale\s+`+sale)
	page.Screenshot(t, "console-changes")
	page.Do(t, click(`tbody a[href="#/edit/`+sale+`"]`), see("form.edit"))
	at(t, page, "#/live/"+sale)
	page.Do(t, click(`.tabs a[href^="#/changes"]`), see("[name=on]"), see("tbody tr"))
	assert.Equal(t, "activity:"+sale, value(t, page, "on"))
	put(t, page, "action", "activity.published")
	page.Do(t, browser.Until(`document.querySelectorAll('tbody tr').length === 1`))
	assert.Contains(t, page.At(t), "action=activity.published")
	put(t, page, "action", "voucher.redeemed")
	reads(t, page, ".empty", "No change has these properties.")
	assert.Empty(t, page.Errors())
}

// Each field that a change changed is named in words, with its old and its new value.
func TestAChangeShowsWhatDiffers(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	change := map[string]any{
		"title": "Night of bells",
		"skus":  []any{map[string]any{"sku_id": "bell", "purchase_limit": 2}},
	}
	answer := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "", change)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	at(t, page, "#/changes")
	reads(t, page, "tbody", `Title\s+Sale\s+→\s+Night of bells`)
	reads(t, page, "tbody", `bell: Limit per buyer\s+no limit\s+→\s+2`)
	page.Screenshot(t, "console-difference")
	assert.Empty(t, page.Errors())
}

// The types of events are chosen one by one; none chosen means all.
func TestTheTypesOfEventsAreChosen(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	types := func() any {
		return s.Operator(t).Call(t, http.MethodGet, operators+"/endpoints/erp", "", nil).JSON(t)["types"]
	}
	at(t, page, "#/endpoints")
	page.Do(t, click(".heading .go"), see("dialog fieldset"))
	put(t, page, "endpoint_id", "erp")
	put(t, page, "url", "https://shop.example/onrush")
	page.Do(t, click(`[name="type order.paid"]`), click(`[name="type activity.sold_out"]`))
	page.Screenshot(t, "console-endpoint")
	page.Do(t, click("dialog .go"), see(".secret"), click("#copy-secret"))
	reads(t, page, "dialog", "Copied|It can't be copied here")
	page.Do(t, click("#close-secret"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "tbody", "Sale sold out, Order paid")
	assert.Equal(t, []any{"activity.sold_out", "order.paid"}, types())
	page.Do(t, click("tbody .actions button"), see("dialog fieldset"), click(`[name="type activity.sold_out"]`),
		click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	assert.Equal(t, []any{"order.paid"}, types())
	assert.Empty(t, page.Errors())
}

// Operators in several zones read the same log.
func TestTimesOfTheConsoleHaveTheirZone(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "",
		map[string]string{"ends_at": time.Now().Add(3 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")})
	require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	zone := browser.Run[string](t, page, `
		const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts();
		return parts.find(({ type }) => type === 'timeZoneName').value`)
	const time = `\d\d:\d\d:\d\d `
	at(t, page, "#/changes?action=activity.changed")
	reads(t, page, "thead", `At \(`+zone+`\)`)
	reads(t, page, "tbody td", `^\w+ \d+, \d\d:\d\d:\d\d$`)
	reads(t, page, "tbody ins", time+zone)
	at(t, page, "#/live/"+sale)
	s.Buyer(t, "ada").Buy(t, sale, "bell", "k")
	reads(t, page, "#figure-orders_per_second", time+zone)
	assert.Empty(t, page.Errors())
}
