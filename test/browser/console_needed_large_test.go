//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// On every view the menu and the title count what needs a person, and on phones the button of the menu says it.
func TestEveryViewCountsWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	reads(t, page, ".attention", calm)
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('nav .count'))`))
	paused := s.Operator(t).Call(t, http.MethodPost, operators+"/jobs/audit/pause", "k", nil)
	require.Equal(t, http.StatusOK, paused.Status, "%s", paused.Body)

	page.Do(t, chromedp.Navigate(s.URL+"/admin#/sales"), chromedp.Reload(), see("tbody tr"))
	reads(t, page, `nav a[href="#/"]`, `Today\s+1$`)
	page.Do(t, browser.Until(`document.title === '(1) Sales · Onrush'`))
	page.Do(t, chromedp.EmulateViewport(390, 844), see(".unfold.marked"))
	assert.Equal(t, "Menu. Needs attention: 1", browser.Run[string](t, page,
		`return document.querySelector('.unfold').ariaLabel`))
	page.Screenshot(t, "console-needed")
	page.Do(t, chromedp.EmulateViewport(1280, 844))

	at(t, page, "#/")
	page.Do(t, click("#resume-audit"), browser.Until(`!document.querySelector('nav .count')`))
	page.Do(t, browser.Until(`document.title === 'Today · Onrush'`))
	page.Do(t, click("#stop-sales"))
	reads(t, page, "dialog h2", `^Stop all sales\?$`)
	page.Do(t, click("dialog .go"), see("#standing-stopped"))
	assert.Empty(t, page.Errors())
}

// A sale that is watched live shows what else needs a person, with the buttons that help.
func TestALiveSaleShowsWhatElseNeedsAPerson(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	for _, job := range []string{"audit", "announce_sales", "delete_finished"} {
		paused := s.Operator(t).Call(t, http.MethodPost, operators+"/jobs/"+job+"/pause", job, nil)
		require.Equal(t, http.StatusOK, paused.Status, "%s", paused.Body)
	}
	s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+sale+"/pause", "k", nil)
	reads(t, page, ".attention h2", "^4 things need attention$")
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#paused")) // which is not said twice
	reads(t, page, "#needed", `^The job “[^”]+” is paused by operator\.[^]*Resume[^]*Resume\s+1 more on Today$`)
	assert.Equal(t, 2, count(t, page, "#needed li"))
	loadAxe(t, page)("a live sale beside which something needs a person")
	page.Screenshot(t, "console-live-needed")
	resume := `document.querySelector('#needed [id^=resume-]').click()`
	browser.Run[bool](t, page, resume+"; return true")
	page.Do(t, browser.Until(`!document.querySelector('#needed').innerText.includes('more')`))
	assert.Equal(t, 2, count(t, page, "#needed li"))
	page.Do(t, click(`#needed a[href="#/jobs"]`), see("tbody tr"))
	assert.Empty(t, page.Errors())
}

// Rate limits that are off are said, and turned on where it is said.
func TestRateLimitsThatAreOffAreTurnedOn(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	set := s.Operator(t).Call(t, http.MethodPatch, operators+"/settings", "", map[string]any{"limits": "off"})
	require.Equal(t, http.StatusOK, set.Status, "%s", set.Body)
	at(t, page, "#/settings")
	reads(t, page, "#limits-off", "Rate limits are off")
	page.Do(t, click("#limits-on"), browser.Until(`!document.querySelector('#limits-off')`))
	now := s.Operator(t).Call(t, http.MethodGet, operators+"/settings", "", nil).JSON(t)
	assert.Equal(t, "on", now["in_force"].(map[string]any)["limits"])
	assert.Empty(t, page.Errors())
}
