//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A pause says what it stops before it is made, and the first page shows it until it has ended.
func TestAPauseIsConfirmedAndNeedsAPerson(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	paused := func() bool {
		jobs := s.Operator(t).Call(t, http.MethodGet, operators+"/jobs", "", nil).JSON(t)
		for _, item := range jobs["items"].([]any) {
			if job := item.(map[string]any); job["name"] == "move_orders" {
				return job["paused"].(bool)
			}
		}
		return false
	}
	reads(t, page, ".attention", calm)
	at(t, page, "#/jobs")
	page.Do(t, click("#pause-move_orders"))
	reads(t, page, "dialog", "on all instances[^]*not stored[^]*the queues grow")
	page.Screenshot(t, "console-pause")
	page.Do(t, click("dialog .row .quiet"), browser.Until(`!document.querySelector('dialog')`))
	assert.False(t, paused())
	page.Do(t, click("#pause-move_orders"), click("dialog .go"), see("#resume-move_orders"))
	assert.True(t, paused())

	at(t, page, "#/")
	reads(t, page, ".attention", "The job “Store orders” is paused by operator[^]*not stored")
	assert.NotContains(t, text(t, page, ".attention"), calm)
	assert.NotContains(t, text(t, page, ".attention"), "move_orders", "a second line of the same")
	page.Screenshot(t, "console-paused")
	page.Do(t, click("#resume-move_orders"))
	reads(t, page, ".attention", calm)
	assert.False(t, paused())
	assert.Empty(t, page.Errors())
}

// A sale that starts unready, or runs and sells nothing, needs a person.
func TestASaleThatRedisDoesNotHaveNeedsAPerson(t *testing.T) {
	t.Parallel()
	findSaleThatRedisLacks(t, kit.OnEmbedded(t))
}

// What can't be checked is never shown as calm, and each thing that needs a person is shown.
func TestTheFirstPageIsCalmOnlyAboutWhatItHasChecked(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell", StartsIn: 10 * time.Minute})
	reads(t, page, ".card.followed", "Sale")
	reads(t, page, ".attention", calm)
	hurry(t, page)
	const endpoint = `body.items = [{ endpoint_id: 'erp', url: 'https://erp.example', types: [], enabled: true,
		waiting: 7, failing_since: new Date(Date.now() - 60000).toISOString() }]`
	for name, c := range map[string]struct {
		changes map[string]string
		says    string
	}{
		"queue": {
			map[string]string{`\/queue`: `Object.assign(body.items[0], { length: 12, oldest_ms: 45000 })`},
			"Orders wait to be stored: 12, the oldest for 45 sec",
		},
		"endpoint": {map[string]string{`\/endpoints`: endpoint}, "The endpoint erp does not take its events. Waiting"},
		"refund": {
			map[string]string{`\/refunds`: `body.items = [{ refund_number: '7', amount: 900, currency: 'CNY',
				channel: 'wechat', status: 'pending', waits_for: 'balance', created_at: new Date().toISOString() }]`},
			"A refund of .?9.00 waits for the merchant's balance at wechat",
		},
		"vouchers": {
			map[string]string{`\/vouchers`: `body.items = [{ sku_id: 'spa', imported: 5, given: 5, withdrawn: 0,
				left: 0, waiting: 3, waiting_since: new Date().toISOString(), oldest_order: '7' }]`},
			"Paid orders wait for codes of spa: 3. Import some.",
		},
		"vouchers unknown": {map[string]string{`\/vouchers`: `throw 1`}, "The counts of voucher codes can't be read"},
		"store":            {map[string]string{`\/readyz`: `body.unavailable = ['redis']`}, "Redis is unavailable"},
		"account": {
			map[string]string{`\/audit`: `Object.assign(body, { ok: false, changes_stuck: 2 })`},
			"In the account of “Sale” [^]*stock changes that don't end: 2",
		},
		"check": {
			map[string]string{
				`\/checks`: `body.items.push({ check: 'x', level: 'failure', detail: 'the sku is gone' })`,
			},
			"starts in \\d+:\\d\\d and is not ready:\\s+the sku is gone",
		},
		"account unknown": {map[string]string{`\/audit`: `throw 1`}, "“Sale” .* can't be read"},
		"figures unknown": {map[string]string{`\/stats`: `throw 1`}, "“Sale” .* can't be read"},
		"figures partial": {map[string]string{`\/stats`: `body.partial = true`}, "“Sale” .* can't be read"},
		"checks unknown":  {map[string]string{`\/checks`: `throw 1`}, "“Sale” .* can't be read"},
		"sales unknown":   {map[string]string{`\/activities`: `throw 1`}, "This may be old"},
		"stores unknown":  {map[string]string{`\/readyz`: `throw 1`}, "The stores can't be read"},
		"jobs unknown":    {map[string]string{`\/jobs`: `throw 1`}, "The jobs can't be read"},
		"many sales": {
			map[string]string{`\/activities`: `body.items = Array(14).fill(body.items[0])`},
			"Not checked here: 2 more",
		},
	} {
		answers(t, page, c.changes)
		reads(t, page, ".attention", c.says)
		assert.NotContains(t, text(t, page, ".attention"), calm, name)
		answers(t, page, nil)
		reads(t, page, ".attention", calm)
	}
	page.Do(t, chromedp.Reload(), see(".attention"))
	reads(t, page, ".attention", calm)
}
