//go:build large

package browser_test

import (
	"net/http"
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
	harp := paid(t, s, "harp", 900)
	reads(t, page, "#figure-revenue_today", `¥9\.00\s+of all orders`)
	s.Operator(t).Call(t, http.MethodPost, operators+"/orders/"+harp+"/refund", "k", map[string]any{"amount": 100})
	reads(t, page, "#figure-revenue_today", `¥9\.00\s+Refunded ¥1\.00, net ¥8\.00`)
	reads(t, page, "#figure-running_now", `\s1\b`)
	reads(t, page, ".attention .age", `Checked \d+ sec ago`)
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
	reads(t, page, of(slow), `too slow: it can admit 60 buyers, for 500 units\. At least 8\.34 a second is needed`)
	reads(t, page, of(slow), `Ready:\s*Units for each buyer are limited`)
	reads(t, page, of(open), `Warning:\s*One buyer may buy all units`)
	reads(t, page, of(open), `Warning:\s*No gate holds a crowd back`)
	reads(t, page, of(open), `Checks with a warning: \d|All checks pass`)
	reads(t, page, "#figure-next_start", `2:5\d:\d\d\s+Sale`)
	reads(t, page, of(slow), `Unknown:\s*No estimate of the visitors`)
	at(t, page, "#/edit/"+slow)
	put(t, page, "expected_visitors", "900")
	reads(t, page, "#visitors", `900 visitors for 500 units: no gate is needed`)
	put(t, page, "expected_visitors", "6000")
	reads(t, page, "#visitors", `6,000 visitors for 500 units: set order permits`)
	reads(t, page, "#visitors", `More than ten visitors for each unit`)
	put(t, page, "expected_visitors", "3000")
	page.Do(t, click("#save"), click("#apply"), see("#saved"))
	assert.EqualValues(t, 3000, activity(t, s, slow)["expected_visitors"])
	at(t, page, "#/")
	reads(t, page, of(slow), `3,000 visitors for 500 units: set order permits`)
	reads(t, page, ".attention.later", `All clear for now\. Before the next start: 1[^]*`+
		`“Sale” \([^)]*\d\d:\d\d\) is not ready\. It starts in 2:5\d:\d\d\.\s+View the sale\s+Edit`)
	assert.NotContains(t, text(t, page, ".attention"), "✓ "+calm)
	reads(t, page, `a.card[href="#/live/`+slow+`"]`,
		`^Sale ›\s+Upcoming\s+Starts in 2:5\d:\d\d\s+\w+, \w+ \d+, \d\d:\d\d.*\d\d:\d\d · 1 SKU`)
	page.Do(t, click(".checked summary"))
	page.Screenshot(t, "console-today")

	answers(t, page, map[string]string{
		`\/instances`: `body.items[0].unavailable = ['redis']; body.items[0].status = 'down'`,
	})
	reads(t, page, "#health", `Redis unavailable\s+SQL OK[^]*without Redis`)
	reads(t, page, ".attention", `reaches no store`)
	answers(t, page, map[string]string{`\/instances`: "throw 0"})
	page.Do(t, see("#health .problem"))
	answers(t, page, map[string]string{`\/checks`: "throw 0", `\/refunds`: "throw 0"})
	page.Do(t, browser.Until(`document.querySelector('.checked li.bad')`))
	reads(t, page, ".checked", `× Refunds that failed or wait`)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "50")
	}
}

// Figures that take longer than the list of sales are shown when they are there, and the next sale is found among all.
func TestTodayShowsSlowFiguresAndTheNextOfManySales(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	later := s.Open(t, site.Sale{SKU: "drum", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	hurry(t, page)
	answers(t, page, map[string]string{`\/activities`: `
		const find = (id) => body.items.find((s) => s.activity_id === id);
		const next = find('` + later + `'), running = find('` + sale + `');
		const others = Array.from({ length: 12 }, (_, i) => ({ ...running, activity_id: 'other-' + i }));
		body.items = [next, running, ...others]`})
	browser.Run[bool](t, page, `
		const [real, calls] = [window.fetch, {}];
		window.fetch = async (url, options) => {
			calls[url] = (calls[url] ?? 0) + 1;
			if (url.includes('/stats')) await new Promise((done) => setTimeout(done, 1500)); // three lists of sales
			return real(url, options);
		};
		window.calls = calls;
		location.hash = '#/sales';
		return true`)
	page.Do(t, see("#new"))
	at(t, page, "#/")
	reads(t, page, "#figure-next_start", `(5\d:\d\d|1:00:00)\s+Sale`)
	reads(t, page, "#figure-running_now", `\s13\b`)
	polls := browser.Run[[]int](t, page, `
		const of = (end) => Object.entries(calls)
			.reduce((sum, [url, n]) => sum + (url.endsWith(end) ? n : 0), 0);
		return [of('/instances'), of('/jobs')]`)
	assert.LessOrEqual(t, polls[0], polls[1]+1, "the instances are read once for both lists")
}

// The bar across all views and what needs a person share the settings that one of them has read.
func TestTodayReadsTheSettingsOnce(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	const counted = `performance.getEntriesByType('resource')
		.filter(({ name }) => name.split('?')[0].endsWith(path)).length`
	page.Do(t, browser.Until(`(path => `+counted+`)('/queue/dead') >= 4`))
	read := browser.Run[[]int](t, page, `return ['/settings', '/queue/dead'].map((path) => `+counted+`)`)
	assert.GreaterOrEqual(t, read[0], 3)
	assert.LessOrEqual(t, read[0], read[1]+1, "both are read every five seconds")
}
