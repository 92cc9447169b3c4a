//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
)

// Jobs that fail come first, then those that are paused; the others are quiet, and say when they run next. While the
// reader works in the list, no row moves.
func TestJobsThatFailOrArePausedComeFirst(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	const run = `{ run_id: '7', job: 'audit', instance: 'a', state: 'ok', started_at: '2026-11-29T18:00:00Z', done: `
	answers(t, page, map[string]string{`\/jobs`: `
		for (const job of body.items) Object.assign(job, { next_run_at: new Date(Date.now() + 95_000).toISOString() });
		body.items.find((job) => job.name === 'preheat').last_run = ` + run + `0 };
		body.items.find((job) => job.name === 'settle_stock').last_run = ` + run + `1200 };
		Object.assign(body.items.find((job) => job.name === 'audit'), { paused: true, paused_by: 'eve' });
		const refunds = body.items.find((job) => job.name === 'send_refunds');
		Object.assign(refunds, { last_error: 'boom', last_run: ` + run + `0 } });
		if (window.preheatFails) body.items.find((job) => job.name === 'preheat').last_error = 'away'`})
	at(t, page, "#/jobs")
	reads(t, page, "tbody", `^Send refunds[^]*Failing\s+Buyers get no refunds\.\s+boom[^]*`+
		`Check the units[^]*Paused[^]*by eve[^]*Store orders`)
	reads(t, page, "tbody", `Load sales[^]*Nothing to do\s+in \d min`)
	reads(t, page, "tbody", `Return and change units[^]*OK\s+Handled: 1,200`)
	reads(t, page, "tbody", `Check the units[^]*Paused\s+by eve\s+Units that are not accounted for[^]*–`)
	badges := browser.Run[[]string](t, page, `
		return [...document.querySelectorAll('tbody .badge')].map((badge) => badge.innerText)`)
	assert.Equal(t, []string{"Failing", "Paused", "OK"}, badges, "only what is news")
	page.Screenshot(t, "console-jobs-failing")
	page.Do(t, chromedp.EmulateViewport(390, 844))
	assert.Contains(t, browser.Run[string](t, page, `
		return getComputedStyle(document.querySelector('.every'), '::before').content`), "·",
		"beside when it runs next")
	page.Do(t, chromedp.EmulateViewport(1280, 844))

	browser.Run[bool](t, page, `
		document.querySelector('#run-audit').focus();
		window.preheatFails = true;
		return true`)
	reads(t, page, "tbody", `Load sales[^]*Failing\s+Sales that Redis does not have[^]*away`)
	first := func() string {
		return browser.Run[string](t, page, `return document.querySelector('tbody b').innerText`)
	}
	assert.Equal(t, "Send refunds", first())
	browser.Run[bool](t, page, `document.activeElement.blur(); return true`)
	reads(t, page, "tbody", `^Load sales`)
	assert.Empty(t, page.Errors())
}
