//go:build large

package browser_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A read of a connection that died is given up, and the page says so until it answers again.
func TestTheConsoleGivesUpReadsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	browser.Run[bool](t, page, `
		const [real, timeout] = [window.fetch, AbortSignal.timeout];
		AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 100);
		window.fetch = (url, { signal }) => new Promise((_, fail) =>
			signal.addEventListener('abort', () => fail(signal.reason)));
		window.mend = () => { window.fetch = real; };
		return true`)
	page.Do(t, see(".offline"))
	browser.Run[bool](t, page, `mend(); return true`)
	page.Do(t, browser.Until(`!document.querySelector('.offline')`))
}

// Figures that are not known are no zeros.
func TestTheConsoleDoesNotMakeFiguresUp(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "harp"})
	browser.Run[bool](t, page, `
		const real = window.fetch;
		const json = (body) => new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } });
		window.fetch = async (url, options) => {
			if (url.includes('/refusals')) return new Response('', { status: 404 });
			const answer = await real(url, options);
			if (url.endsWith('/stats')) {
				return json({ ...await answer.json(), partial: true, unpaid: 0, paid: 0, answers: {} });
			}
			if (url.endsWith('/history')) {
				const at = (s) => new Date(Date.now() - s * 1000).toISOString();
				const items = [{ at: at(20), unpaid: 7, paid: 8 }, { at: at(15), unpaid: 7, paid: 8 }];
				return json({ every_s: 5, items });
			}
			return answer;
		};
		return true`)
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#figure-left"), see(".chart canvas"))
	reads(t, page, "main", "A store is not available")
	reads(t, page, ".columns .problem", ".")
	text := browser.Run[string](t, page, `return document.querySelector('.charts').innerText`)
	assert.NotContains(t, text, "NaN")
	assert.Contains(t, text, "–")
	at(t, page, "#/")
	page.Do(t, see(".attention"))
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('.attention[aria-live]'))`),
		"its ages change each second")
}

// The charts of a sale end with the figures above them, whatever point the program stored last.
func TestTheChartsEndWithTheFiguresAboveThem(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "harp", Stock: map[string]int64{"0": 5}})
	s.Buyer(t, "ada").Buy(t, sale, "harp", "k").Placed(t)
	answers(t, page, map[string]string{`\/history`: `
		const at = (s) => new Date(Date.now() + s * 1000).toISOString();
		const others = { orders_per_second: 9, remaining: 77, unpaid: 8, paid: 8 };
		body.items = [-40, -20, 600].map((s) => ({ at: at(s), ...others }))`})
	at(t, page, "#/live/"+sale)
	reads(t, page, "#figure-left", `^Units left\s+4`)
	reads(t, page, "#figure-held", `\s1\s+1 order$`)
	reads(t, page, ".chart:nth-child(2) figcaption", `^Units left\s+4$`)
	reads(t, page, ".chart:nth-child(3) figcaption", `Unpaid\s+1\s+Paid\s+0$`)
	page.Do(t, click(".back a"), see("#new"))
	assert.Empty(t, page.Errors())
}

// With more than a page of sales the one that sells is still on the first page of the console.
func TestTheConsoleShowsARunningSaleBehindManyOthers(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	running := s.Open(t, site.Sale{SKU: "old"})
	for i := range 101 {
		s.Open(t, site.Sale{SKU: "sku-" + strconv.Itoa(i), StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	}
	page.Do(t, chromedp.Reload(), see(".cards .card"))
	assert.Contains(t, browser.Run[string](t, page, `return document.querySelector('.cards .card').href`), running)
	assert.Empty(t, page.Errors())
}

func TestTheConsoleShowsWhatTheGatesRefuse(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "harp"})
	a := s.Stranger().Call(t, http.MethodGet, "/admin/api/v1/queue", "", nil)
	assert.Equal(t, http.StatusUnauthorized, a.Status)
	at(t, page, "#/live/"+sale)
	reads(t, page, "main", `Not signed in\s+unauthorized\s+[1-9]`)
}
