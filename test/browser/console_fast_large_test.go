//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The search does what must be done fast: it leads to the button of an action, which asks before it acts.
func TestTheSearchRunsActions(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	find := func(typed, hit string) {
		t.Helper()
		page.Do(t, click("#find"), see("#search"), chromedp.SendKeys(chromedp.CSS("#search"), typed))
		reads(t, page, "#hits", hit)
	}
	find("stop", `Action\s+Stop all sales`)
	page.Do(t, click("#hits li"))
	reads(t, page, "dialog h2", "^Stop all sales\\?$")
	page.Do(t, click("dialog .row .quiet"), browser.Until(`!document.querySelector('dialog')`))
	assert.NotContains(t, page.At(t), "do=", "another visit doesn't ask")

	find("pause", `Action\s+Pause the sale: Sale\s+ends .*…`)
	page.Do(t, click("#hits li"))
	reads(t, page, "dialog h2", `^Pause “Sale”\?$`)
	page.Do(t, click("dialog .go"), see("#paused"))
	assert.Contains(t, activity(t, s, sale), "paused_at")

	order := paid(t, s, "harp", 900)
	find("refund", `Action\s+Refund an order`)
	page.Do(t, click("dialog .close"), browser.Until(`!document.querySelector('dialog')`))
	find(order, `Action\s+Refund: `+order)
	page.Do(t, click("#hits li:last-child"))
	reads(t, page, "dialog .sum", "Nothing goes back yet")
	assert.Empty(t, page.Errors())
}

// A sale that runs has the figures that count and three charts, one row of actions, and a menu of the others, which a
// keyboard opens and closes. A chart says what it shows under the pointer.
func TestALiveSaleShowsWhatCounts(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/live/"+sale)
	answers(t, page, map[string]string{"history": `
		const at = (s) => new Date(Date.now() - s * 1000).toISOString();
		body.items = [100, 50, 0].map((s, i) => ({ at: at(s + 10), orders_per_second: 10 * (i + 1), remaining: 5 }))`})
	at(t, page, "#/")
	page.Do(t, see(".attention"))
	at(t, page, "#/live/"+sale)
	page.Do(t, see(".chart canvas"), see(".account"))
	counts := browser.Run[[]int](t, page, `
		const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).length;
		return [shown('.figures > div'), shown('.chart'), shown('.at-hand .actions > button')]`)
	assert.Equal(t, []int{6, 3, 3}, counts, "figures, charts, buttons")
	assert.False(t, browser.Run[bool](t, page, `return document.querySelector('#close').checkVisibility()`))
	browser.Run[bool](t, page, `document.querySelector('.menu summary').focus(); return true`)
	page.Do(t, chromedp.KeyEvent(kb.Enter), see("#close"))
	page.Screenshot(t, "console-live-menu")
	page.Do(t, chromedp.KeyEvent(kb.Escape), browser.Until(`!document.querySelector('.menu').open`))

	assert.True(t, browser.Run[bool](t, page, `
		const box = (part) => document.querySelector('.chart ' + part).getBoundingClientRect();
		const [over, all] = [box('.u-over'), box('canvas')];
		return over.left - all.left >= 25 && all.right - over.right >= 25`), "the first and last times are not cut")
	reads(t, page, ".chart figcaption", `^Orders/s\s+mean of 10 s\s+\d+$`)
	browser.Run[bool](t, page, `
		const over = document.querySelector('.chart .u-over');
		const { left, top, width } = over.getBoundingClientRect();
		over.dispatchEvent(new MouseEvent('mouseenter', { bubbles: true }));
		const at = { bubbles: true, clientX: left + width * 0.7, clientY: top + 9 };
		over.dispatchEvent(new MouseEvent('mousemove', at));
		return true`)
	reads(t, page, ".chart figcaption", `^Orders/s\s+mean of 10 s\s+\d\d:\d\d:\d\d \S+\s+\d+$`)
	assert.Empty(t, page.Errors())
}

// At the width of a small desk no list is cut: what can be done with a row is in sight.
func TestNoListIsCutAtASmallDesk(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	views := busy(t, s)
	page.Do(t, chromedp.EmulateViewport(1280, 844))
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/admin", ".attention")
		answers(t, page, map[string]string{
			`\/deliveries`: `body.items = [{ delivery_id: '7', event_id: '01KBABCDEFGHJKMNPQRSTVWXYZ',
				status: 'waiting', type: 'activity.published', attempts: 12, duration_ms: 12000,
				at: '2026-11-29T18:00:00Z', next_attempt_at: '2026-11-29T18:05:00Z', status_code: 503,
				error: 'HTTP 503', answer: 'Try later.' }]`,
			`\/refunds`: `for (const r of body.items) Object.assign(r, { status: 'pending', channel: 'outside' })`,
		})
		for _, v := range views {
			at(t, page, v.address)
			page.Do(t, see(v.sign))
			assert.False(t, browser.Run[bool](t, page, `
				const { scrollWidth, clientWidth } = document.documentElement;
				return scrollWidth > clientWidth`), "%s in %s is wider than the page", v.name, language)
			cut := browser.Run[[]string](t, page, `
				return [...document.querySelectorAll('.table')]
					.filter((list) => list.scrollWidth > list.clientWidth + 1)
					.map((list) => list.ariaLabel + ' by ' + (list.scrollWidth - list.clientWidth))`)
			assert.Empty(t, cut, "%s in %s", v.name, language)
		}
	}
}
