//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator stops all sales: a bar on every view says so, a running sale says Stopped, the first page counts it, and
// the bar lets sales go on from wherever the operator is, once it has asked.
func TestAStopOfAllSalesStandsOnEveryViewUntilSalesGoOn(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "gong"})
	at(t, page, "#/settings")
	page.Do(t, click("#stop-sales"), click("dialog .go"), see("#standing-stopped"))
	for view, sign := range map[string]string{
		"#/sales": "tbody .badge.stopped", "#/live/" + sale: ".at-hand .badge.stopped",
		"#/edit/" + sale: ".heading .badge.stopped", "#/jobs": "tbody tr", "#/money/orders": "h1",
	} {
		at(t, page, view)
		page.Do(t, see(sign), see("#standing-stopped"))
		assert.Equal(t, 1, browser.Run[int](t, page, `
			return [...document.querySelectorAll('#standing-stopped')].filter((bar) => bar.checkVisibility()).length`))
	}
	page.Screenshot(t, "console-stopped")
	at(t, page, "#/")
	reads(t, page, ".attention", `All sales are stopped: no order is placed\.[^]*View the settings\s+Resume all sales`)
	reads(t, page, "#figure-running_now", `1\s+none takes orders: all sales are stopped`)
	reads(t, page, ".cards .followed", "Stopped")

	page.Do(t, click("#standing-go-on"))
	reads(t, page, "dialog", `^Let all sales take orders again\?\s+Sales that run now: 1\.`)
	page.Screenshot(t, "console-resume")
	assert.Equal(t, 1, count(t, page, "#standing-stopped"), "nothing has changed yet")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('#standing-stopped')`))
	reads(t, page, ".attention", calm)
	reads(t, page, ".cards .followed", "Running")
	s.Buyer(t, "ada").Buy(t, sale, "gong", "k")
	assert.Empty(t, page.Errors())
}

// What a degrade level turns off is in the bar, too.
func TestADegradeLevelStandsOnEveryView(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	set := s.Operator(t).Call(t, http.MethodPatch, operators+"/settings", "", map[string]any{"degrade": "no_streams"})
	require.Equal(t, http.StatusOK, set.Status, "%s", set.Body)
	at(t, page, "#/points")
	reads(t, page, "#standing-degrade", "Turned off to bear the load: Event streams")
	at(t, page, "#/")
	reads(t, page, ".attention", "Turned off to bear the load: Event streams")
	page.Do(t, click("#standing-turn-on"), browser.Until(`!document.querySelector('#standing-degrade')`))
	reads(t, page, ".attention", calm)
	assert.Empty(t, page.Errors())
}
