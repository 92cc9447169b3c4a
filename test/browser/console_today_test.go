package browser_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The first page says what the sales of today took, what was checked and when, and how ready the next sales are.
func TestTodaySaysWhatWasCheckedAndHowReadyTheNextSalesAre(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	page.Do(t, see("#figure-revenue_today"))
	reads(t, page, "#figure-next_start", `–\s+no sale is planned`)
	reads(t, page, "main", "No sale is published. Published sales appear here, live.")
	reads(t, page, "#health", `Redis OK\s+SQL OK[^]*Instance[^]*OK[^]*ago`)
	paid(t, s, "harp", 900)
	reads(t, page, "#figure-revenue_today", `¥9\.00`)
	reads(t, page, "#figure-running_now", `\s1\b`)
	reads(t, page, ".checked", `What was checked, at .*\d`)
	page.Do(t, click(".checked summary"))
	reads(t, page, ".checked", `✓ Redis and SQL answer[^]*✓ Sales: loaded, their checks`)

	const in = 3 * time.Hour
	slow := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"0": 500}, StartsIn: in,
		EndsIn:         in + time.Minute,
		PathsPerSecond: 1, SKULimit: 2,
	})
	open := s.Open(t, site.Sale{SKU: "bell", StartsIn: in + time.Hour, EndsIn: in + 2*time.Hour})
	of := func(sale string) string { return `a[href="#/live/` + sale + `"] .readiness` }
	reads(t, page, of(slow), `too slow: it can admit 60 buyers, for 500 units`)
	reads(t, page, of(slow), `Ready:\s*Units for each buyer are limited`)
	reads(t, page, of(open), `Warning:\s*One buyer may buy all units`)
	reads(t, page, of(open), `Warning:\s*No gate holds a crowd back`)
	reads(t, page, of(open), `Checks with a warning: \d|All checks pass`)
	reads(t, page, "#figure-next_start", `2:5\d:\d\d\s+Sale`)
	page.Screenshot(t, "console-today")

	answers(t, page, map[string]string{`\/checks`: "throw 0", `\/refunds`: "throw 0"})
	page.Do(t, browser.Until(`document.querySelector('.checked li.bad')`))
	reads(t, page, ".checked", `× Refunds that failed or wait`)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "50")
	}
}
