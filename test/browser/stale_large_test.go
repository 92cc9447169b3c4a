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

// Somebody else changes a draft, and then a published sale, that an operator has open. The operator sees what was
// changed, and keeps the own changes over it, or drops them.
func TestTheEditorShowsWhatOthersChanged(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	for _, draft := range []bool{true, false} {
		id := s.Open(t, site.Sale{SKU: "bell", Draft: draft, StartsIn: time.Hour, EndsIn: 2 * time.Hour})
		other := func(title string) {
			t.Helper()
			method, body := http.MethodPatch, map[string]any{}
			if draft {
				method = http.MethodPut
				body = activity(t, s, id)
				for _, name := range []string{"activity_id", "created_at", "state", "lane"} {
					delete(body, name)
				}
			}
			body["title"] = title
			body["skus"] = activity(t, s, id)["skus"] // as the draft has them; of a published sale, what PATCH takes
			sku := body["skus"].([]any)[0].(map[string]any)
			sku["purchase_limit"] = len(title)
			delete(sku, "currency") // requests don't have it
			if !draft {
				body["skus"] = []any{map[string]any{"sku_id": "bell", "purchase_limit": len(title)}}
			}
			answer := s.Operator(t).Call(t, method, operators+"/activities/"+id, "", body)
			require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		}
		at(t, page, "#/edit/"+id)
		page.Do(t, see("form.edit"))

		other("Theirs")
		put(t, page, "description", "Mine")
		put(t, page, "price-0", "1.50")
		page.Do(t, click("#save"), see("#stale"))
		reads(t, page, "#stale", `Title\s+Sale\s+→\s+Theirs`)
		reads(t, page, "#stale", `\d\d:\d\d:\d\d \w+`)
		page.Do(t, click("#stale-mine"), browser.Until(`!document.querySelector('#stale')`))
		assert.Equal(t, "Theirs", value(t, page, "title"))
		assert.Equal(t, "Mine", value(t, page, "description"))
		assert.Equal(t, "6", value(t, page, "limit-0"), "theirs, although the price of the same sku is mine")
		page.Do(t, click("#save"))
		if !draft { // others change the sale after the differences were shown
			page.Do(t, see("#apply"))
			other("Theirs")
			page.Do(t, click("#apply"), see("#stale"), click("#stale-mine"),
				browser.Until(`!document.querySelector('#stale')`), click("#save"), click("#apply"))
		}
		page.Do(t, see("#saved"))
		stored := activity(t, s, id)
		assert.Equal(t, "Theirs", stored["title"])
		assert.Equal(t, "Mine", stored["description"])
		sku := stored["skus"].([]any)[0].(map[string]any)
		assert.EqualValues(t, 150, sku["flash_price"])
		assert.EqualValues(t, 6, sku["purchase_limit"])

		other("Theirs again")
		put(t, page, "description", "Mine again")
		page.Do(t, click("#save"), see("#stale"), click("#stale-theirs"),
			browser.Until(`!document.querySelector('#stale')`))
		assert.Equal(t, "Theirs again", value(t, page, "title"))
		assert.Equal(t, "Mine", value(t, page, "description"))
	}
	for _, failure := range page.Errors() {
		assert.Contains(t, failure, "409")
	}
}

// Somebody else blocks a user, and then changes the block, while an operator does so.
func TestTheConsoleReplacesAndEndsNoBlockUnseen(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	const mallory = operators + "/blocked/user:mallory"
	other := func(reason string) {
		t.Helper()
		answer := s.Operator(t).Call(t, http.MethodPut, mallory, "", map[string]any{"reason": reason})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	reason := func() any { return s.Operator(t).Call(t, http.MethodGet, mallory, "", nil).JSON(t)["reason"] }
	gone := func(selector string) string { return `!document.querySelector('` + selector + `')` }
	at(t, page, "#/blocked")
	page.Do(t, see("#block"))

	other("resells")
	page.Do(t, click("#block"), see("dialog"))
	put(t, page, "subject", "mallory")
	put(t, page, "reason", "a robot")
	page.Do(t, click("dialog .go"), see("#stale"))
	reads(t, page, "#stale", `resells`)
	assert.Equal(t, "resells", reason())
	page.Do(t, click("#stale-mine"), browser.Until(gone("dialog")))
	assert.Equal(t, "a robot", reason())
	reads(t, page, "tbody", "a robot")

	other("resells again")
	page.Do(t, click("tbody button"), see("dialog"), click("dialog .go"), see("#stale"))
	reads(t, page, "#stale", `resells again`)
	page.Do(t, click("#stale-theirs"), browser.Until(gone("dialog")))
	reads(t, page, "tbody", "resells again")
	page.Do(t, click("tbody button"), see("dialog"), click("dialog .go"), browser.Until(gone("tbody button")))
	assert.Equal(t, "not_found", s.Operator(t).Call(t, http.MethodGet, mallory, "", nil).Code())
	for _, failure := range page.Errors() {
		assert.Contains(t, failure, "409")
	}
}
