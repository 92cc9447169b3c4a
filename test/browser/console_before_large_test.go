//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// soon opens a sale that starts in half an hour.
func soon(t *testing.T, s *site.Site, sku string, limit int64, rate float64) string {
	t.Helper()
	return s.Open(t, site.Sale{
		SKU: sku, Kind: catalogue.Physical, Stock: map[string]int64{"0": 500}, StartsIn: 30 * time.Minute,
		EndsIn: 90 * time.Minute, SKULimit: limit, PathsPerSecond: rate,
	})
}

// Half an hour before a sale, the first page says that it is ready: loaded, checked, limited, and with gates for its
// visitors.
func TestTodaySaysThatASaleIsReadyHalfAnHourBeforeIt(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := soon(t, s, "lamp", 2, 50)
	at(t, page, "#/edit/"+sale)
	put(t, page, "expected_visitors", "900")
	page.Do(t, click("#save"), click("#apply"), see("#saved"))
	answers(t, page, map[string]string{`\/checks`: `body.items = body.items.filter(({ level }) => level === 'ok')`})
	at(t, page, "#/")
	for _, sign := range []string{
		"Loaded into Redis", "All checks pass", "Units for each buyer are limited",
		"The waiting room can admit 180,000 buyers, for 500 units", "900 visitors for 500 units",
	} {
		reads(t, page, ".readiness", `Ready:\s*`+sign)
	}
	reads(t, page, ".attention", calm)
	reads(t, page, "#figure-next_start", `(29|30):\d\d`)
	assert.NotRegexp(t, `Warning|Not ready|Unknown`, text(t, page, ".readiness"))
	page.Screenshot(t, "console-today-ready")
	assert.Empty(t, page.Errors())
}

// Half an hour before a sale that is not ready, the first page says why it is not ready, and offers to load it.
func TestTodaySaysWhatIsWrongHalfAnHourBeforeASale(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s, page := openConsole(t, stores, site.Idle())
	sale := soon(t, s, "lamp", 0, 0.1)
	lane := int(activity(t, s, sale)["lane"].(float64))
	require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(lane, sale)).Err())
	answers(t, page, map[string]string{`\/checks`: `body.items.push({ check: 'catalogue', level: 'failure',
		sku_id: 'lamp', detail: 'the sku no longer exists' })`})
	reads(t, page, ".attention", `starts in (29|30):\d\d and is not ready:\s+`+
		`Not yet loaded into Redis\s+The SKU lamp does not exist any more\.\s+The waiting room is too slow`)
	assert.Equal(t, 1, count(t, page, ".attention > ul > li"), "one line of one sale")
	for _, sign := range []string{
		`Not ready:\s*Not yet loaded into Redis`, `Not ready:\s*Checks that fail: 1`,
		`Warning:\s*One buyer may buy all units`, `Not ready:\s*The waiting room is too slow`,
	} {
		reads(t, page, ".readiness", sign)
	}
	page.Screenshot(t, "console-today-unready")
	page.Do(t, click("#load-"+sale))
	reads(t, page, ".readiness", `Ready:\s*Loaded into Redis`)
	page.Do(t, click(`.attention a[href*="#/edit/"]`), see("form.edit"),
		browser.Until(`document.activeElement.name === 'paths_per_second'`))
}

// At a small desk the side bar has room for all that it has, in both languages.
func TestTheSideBarOfASmallDeskIsNotCut(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	page.Do(t, chromedp.EmulateViewport(1280, 844))
	for _, language := range []string{"en", "zh"} {
		speak(t, page, language, s.URL+"/admin#/points", "h1")
		assert.LessOrEqual(t, browser.Run[float64](t, page, `
			return document.querySelector('#requests').getBoundingClientRect().bottom`), 844.0, language)
	}
	assert.Empty(t, page.Errors())
}

// On phones the menu has what the header has no room for.
func TestTheMenuOfThePhoneHasTheLanguageTheOperatorAndTheRequests(t *testing.T) {
	t.Parallel()
	_, page := openConsole(t, kit.OnEmbedded(t))
	page.Do(t, chromedp.EmulateViewport(390, 844))
	shown := func(selector string) bool {
		return browser.Run[bool](t, page, `return document.querySelector('`+selector+`').checkVisibility()`)
	}
	parts := []string{"#menu nav a", "#menu .language select", "#menu .who", "#requests"}
	for _, part := range parts {
		assert.False(t, shown(part), part)
	}
	page.Do(t, click(".unfold"))
	for _, part := range parts {
		assert.True(t, shown(part), part)
	}
	page.Screenshot(t, "console-menu")
	page.Do(t, click("#requests"), see(".drawer"))
	assert.Empty(t, page.Errors())
}

// A payment that is flagged says what was paid and what was expected, and what went back besides its own refunds.
func TestAFlaggedPaymentNamesBothAmounts(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	seen := s.Operator(t).Call(t, http.MethodGet, operators+"/orders/"+order, "", nil).JSON(t)
	number := seen["payments"].([]any)[0].(map[string]any)["pay_number"].(string)
	wrong := site.Payment{Number: number, Transaction: "txn-2", Amount: 5, Currency: "CNY"}
	s.Money(t, wrong)
	told, err := s.Notify(t.Context(), wrong)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	at(t, page, "#/payment/"+number)
	reads(t, page, "#flag", `The buyer paid ¥0\.05 instead of ¥9\.00\. The ¥0\.05 (are on their way|were sent) back`)
	reads(t, page, ".facts", `Refunded\s+¥0\.00\s+Sent back apart from this: ¥0\.05\. The amount was wrong\.`)
	reads(t, page, "#flag", `The whole ¥9\.00 was paid, too\. Nothing is left to do\.\s+Mark as seen`)
	reads(t, page, "main", `¥0\.05 was paid instead of ¥9\.00`)
	page.Screenshot(t, "console-payment-flag")
	at(t, page, "#/")
	reads(t, page, ".attention", calm+`[^]*For your information\s+The buyer paid ¥0\.05 instead of ¥9\.00\. `+
		`The ¥0\.05 were sent back on [^]*Nothing is left to do\. Payment `+number)
	assert.NotContains(t, browser.Run[string](t, page, `return document.title`), "(", "nobody is needed")
	page.Do(t, click("#clear-"+number), browser.Until(`!document.querySelector('.attention .info')`))
	reads(t, page, ".toast", `^Marked as dealt with\.`)
	at(t, page, "#/order/"+order)
	reads(t, page, ".facts", `Sale\s+Sale\s+Placed`)
	at(t, page, "#/money/refunds")
	page.Do(t, see("tbody tr"))
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.getElementById('retry-all'))`))
	answers(
		t,
		page,
		map[string]string{`\/refunds`: `if (body.items.length === 0) body.items = [{ refund_number: '7' }]`},
	)
	page.Do(t, see("#retry-all"))
	assert.Empty(t, page.Errors())
}
