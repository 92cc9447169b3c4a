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

// A change says what it changed, on whatever view the operator is, and is taken back by a button.
func TestAChangeSaysWhatItChangedAndIsTakenBack(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	check := loadAxe(t, page)
	sale := s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#pause"), click("dialog .go"), see("#undo"))
	reads(t, page, ".toast", "“Sale” is paused.")
	check("a toast")
	at(t, page, "#/jobs")
	page.Do(t, see("tbody tr"), click("#undo"))
	reads(t, page, ".toast", "It is as it was before.")
	assert.NotContains(t, activity(t, s, sale), "paused_at")

	at(t, page, "#/blocked")
	page.Do(t, click("#block"), see("dialog"))
	put(t, page, "subject", "mallory")
	put(t, page, "reason", "resells")
	page.Do(t, click("dialog .go"), see("tbody tr"))
	reads(t, page, ".toast", "mallory is blocked.")
	page.Do(t, click("#undo"), see(".empty"))
	blocked := s.Operator(t).Call(t, http.MethodGet, operators+"/blocked", "", nil).JSON(t)
	assert.Empty(t, blocked["items"])
	page.Do(t, click(".toast button"), browser.Until(`!document.querySelector('.toast').innerText`))
	assert.Empty(t, page.Errors())
}

// A second press while a change is taken back would take back another time.
func TestAChangeIsTakenBackOnceHoweverOftenTheButtonIsPressed(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#pause"), click("dialog .go"), see("#undo"))
	browser.Run[bool](t, page, `
		const real = window.fetch;
		window.sent = 0;
		window.fetch = (url, options) => {
			if (String(url).endsWith('/resume')) window.sent++;
			return real(url, options);
		};
		const undo = document.querySelector('#undo');
		for (let i = 0; i < 5; i++) undo.click();
		return true`)
	reads(t, page, ".toast", "It is as it was before.")
	assert.Equal(t, 1, browser.Run[int](t, page, `return window.sent`))
	assert.NotContains(t, activity(t, s, sale), "paused_at")
}

// What can't be taken back any more says so.
func TestATakingBackThatFailsSaysSo(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#pause"), click("dialog .go"), see("#undo"))
	refusing(t, page, "POST .*/resume", "unavailable")
	page.Do(t, click("#undo"), see(".toast .bad"))
	assert.Contains(t, activity(t, s, sale), "paused_at")
}

// The server's errors stand at the fields of a dialog, once, in the reader's language, and the first one has the focus.
func TestADialogShowsEachErrorAtItsField(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	wrong := func(address, text string) {
		t.Helper()
		page.Do(t, click(".heading .go"), see("dialog fieldset"))
		put(t, page, "endpoint_id", "erp")
		put(t, page, "url", "http://shop.example/onrush")
		page.Do(t, click("dialog .go"), see("dialog [name=url][aria-invalid=true]"))
		reads(t, page, "dialog .field .bad", text)
		assert.True(t, browser.Run[bool](t, page, `
			return document.activeElement.name === 'url' && !document.querySelector('dialog .problem')`), address)
	}
	at(t, page, "#/endpoints")
	wrong("en", `^This must begin with https://\.$`)
	speak(t, page, "zh", s.URL+"/admin#/endpoints", ".heading .go")
	wrong("zh", `^须以 https:// 开头。$`)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "422")
	}
}

// The end of a sale moves by a button, and the form says what it becomes, with the zone.
func TestTheEndOfASaleMovesByAButton(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	ends := func() time.Time {
		at, err := time.Parse(time.RFC3339, activity(t, s, sale)["ends_at"].(string))
		require.NoError(t, err)
		return at
	}
	before := ends()
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#extend"), click("dialog .presets button:first-child"),
		click("dialog .presets button:last-child"))
	zone := `[A-Z+0-9:]{3,}`
	reads(t, page, "dialog .sum", `^\w+ \d+, \d{4}, [\d:]+ `+zone+` → \w+ \d+, \d{4}, [\d:]+ `+zone+`$`)
	page.Do(t, click("dialog .go"), see("#undo"))
	reads(t, page, ".toast", `“Sale” ends on \w+ \d+, \d{4}, [\d:]+ `+zone+`\.`)
	assert.Equal(t, before.Add(75*time.Minute).Truncate(time.Second), ends())
	page.Do(t, click("#undo"), browser.Until(`!document.querySelector('#undo')`))
	reads(t, page, ".toast", "It is as it was before.")
	assert.Equal(t, before, ends())
	assert.Empty(t, page.Errors())
}
