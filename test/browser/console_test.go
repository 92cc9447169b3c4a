package browser_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

const operators = "/admin/api/v1"

// openConsole starts a program, and a browser at its console.
func openConsole(t *testing.T, stores *kit.Stores, options ...site.Option) (*site.Site, *browser.Page) {
	t.Helper()
	s, page := openShop(t, stores, options...)
	page.Do(t, chromedp.Navigate(s.URL+"/admin"), see(".attention"))
	return s, page
}

// put gives a field of a form a value, as a person who types it would.
func put(t *testing.T, page *browser.Page, name, value string) {
	t.Helper()
	page.Do(t, see("[name="+name+"]"))
	browser.Run[bool](t, page, `
		const field = document.querySelector('[name=`+name+`]');
		field.value = `+strconv.Quote(value)+`;
		field.dispatchEvent(new Event('input', { bubbles: true }));
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return true`)
}

// at goes to a view of the console.
func at(t *testing.T, page *browser.Page, view string) {
	t.Helper()
	browser.Run[bool](t, page, `location.hash = `+strconv.Quote(view)+`; return true`)
}

// local is a time as a field of type datetime-local takes it; the browser is in this machine's zone.
func local(at time.Time) string { return at.Local().Format("2006-01-02T15:04:05") }

// activity reads one sale as operators see it.
func activity(t *testing.T, s *site.Site, id string) map[string]any {
	t.Helper()
	return s.Operator(t).Call(t, http.MethodGet, operators+"/activities/"+id, "", nil).JSON(t)
}

// orderOf reads one order as its buyer sees it.
func orderOf(t *testing.T, buyer *site.Person, number string) map[string]any {
	t.Helper()
	return buyer.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil).JSON(t)
}

// An operator makes a sale, publishes it, watches a thousand buyers in it, and prolongs it.
func TestAnOperatorPublishesASaleAndWatchesItsCrowd(t *testing.T) {
	t.Parallel()
	publishAndWatchACrowd(t, kit.OnEmbedded(t))
}

func publishAndWatchACrowd(t *testing.T, stores *kit.Stores) {
	t.Helper()
	s, page := openConsole(t, stores)
	s.Open(t, site.Sale{SKU: "bell", Draft: true}) // makes the sku
	reads(t, page, ".attention", calm)
	page.Do(t, click(`nav a[href="#/sales"]`), click("#new"), see("form.edit"))
	put(t, page, "title", "A hundred bells")
	put(t, page, "starts_at", local(time.Now().Add(-time.Minute)))
	put(t, page, "ends_at", local(time.Now().Add(time.Hour)))
	put(t, page, "price-0", "5.00")
	put(t, page, "units-0-0", "100")
	page.Do(t, click("#check"), see("#checks"))
	reads(t, page, "#checks", "The start is in the past: it sells as soon as it is published.")
	reads(t, page, "#checks", "not below the list price")
	assert.Equal(t, []string{"publish"}, browser.Run[[]string](t, page, `
		return [...document.querySelectorAll('.bar-row .go')].map(({ id }) => id)`))
	page.Screenshot(t, "console-checks")
	page.Do(t, click("#publish"))
	reads(t, page, "dialog", `^Publish “A hundred bells” at this price\?[^]*`+
		`: the flash price ¥5\.00 is not below the list price ¥`)
	page.Do(t, click("dialog .row .quiet"))
	put(t, page, "price-0", "1.00")
	page.Do(t, click("#check"), see("#publish"))
	page.Do(t, click("#passed summary"))
	reads(t, page, "#checks", "Every flash price is below its list price.")
	page.Do(t, click("#publish"))
	reads(t, page, "dialog", `^Publish “A hundred bells”\?\s+Buyers can't pay real money\.`)
	page.Do(t, click("dialog .go"))
	assert.True(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('dialog :invalid'))`))
	page.Do(t, click("[name=know]"), click("dialog .go"), see("#figure-left"))
	reads(t, page, "#figure-left", `^Units left\s+100`)

	page.Do(t, click("#send-crowd"))
	reads(t, page, "#figure-left", `^Units left\s+0`)
	reads(t, page, "#figure-drift", `^Not accounted for\s+0\s+0: every unit is accounted for$`)
	reads(t, page, ".account", "Every unit is accounted for")
	page.Do(t, see(".outcome.over"))
	s.Drain(t)
	reads(t, page, "#figure-held", `\s100\s+100 orders$`)
	page.Do(t, browser.Until(`document.querySelector('.account tr.sum td:nth-child(6)').innerText === '100'`))
	page.Do(t, see(".at-hand .sold-out.warn"))
	page.Screenshot(t, "console-live")
	id := page.At(t)[len(s.URL+"/admin#/live/"):]
	assert.Equal(t, "published", activity(t, s, id)["state"])

	ends := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	page.Do(t, click("#extend"))
	put(t, page, "ends_at", local(ends))
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	assert.Equal(t, ends.UTC().Format("2006-01-02T15:04:05.000Z"), activity(t, s, id)["ends_at"])
	reads(t, page, ".when [role=timer]", `^Ends in 1:59:|^Ends in 2:00:00`)

	page.Do(t, chromedp.Reload(), see("#figure-left"))
	reads(t, page, ".chart", `Orders/s`)
	page.Do(t, browser.Until(`document.querySelector('.chart canvas')`))
	at(t, page, "#/changes")
	reads(t, page, "table", `Published a sale[^]*State\s+Draft\s+→\s+Published`)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "503", "beside a crowd the embedded store may have no time for a read")
	}
}

func doWhatNeedsAPerson(t *testing.T, stores *kit.Stores) {
	t.Helper()
	s, page := openConsole(t, stores, site.Idle()) // orders move when the test says so
	sale := s.Open(t, site.Sale{SKU: "drum"})
	dead := s.Buyer(t, "ada").Buy(t, sale, "drum", "dead").JSON(t)["order_number"].(string)
	lane := int(activity(t, s, sale)["lane"].(float64))
	key, field := stores.Keys.Orders(lane, "ada"), lua.OrderField(dead)
	record := stores.Redis.HGet(t.Context(), key, field).Val()
	require.NoError(t, stores.Redis.HSet(t.Context(), key, field, "{").Err())
	s.Drain(t)
	bob := s.Buyer(t, "bob")
	placed := bob.Buy(t, sale, "drum", "paid").JSON(t)["order_number"].(string)
	s.Drain(t)
	payment := bob.Pay(t, "k", placed).JSON(t)
	wrong := site.Payment{Number: payment["pay_number"].(string), Transaction: "txn-1", Amount: 1, Currency: "CNY"}
	s.Money(t, wrong)
	told, err := s.Notify(t.Context(), wrong)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)

	reads(t, page, ".attention", `^1 thing needs attention[^]*An order can't be stored[^]*For your information\s+`+
		`The buyer paid ¥0\.01 instead of ¥1\.00\. The ¥0\.01 are on their way back`)
	page.Screenshot(t, "console-attention")
	require.NoError(t, stores.Redis.HSet(t.Context(), key, field, record).Err())
	page.Do(t, click(`.attention [id^=replay-]`))
	page.Do(t, browser.Until(`!document.querySelector('.attention [id^=replay-]')`))
	s.Drain(t)
	assert.Equal(t, "sql", orderOf(t, s.Buyer(t, "ada"), dead)["source"])
	s.Job(t, "send_refunds")
	reads(t, page, ".attention", `The ¥0\.01 were sent back`)
	page.Do(t, click(`.attention [id^=clear-]`))
	put(t, page, "reason", "The bank sent it back.")
	page.Do(t, click("dialog .go"))
	page.Do(t, browser.Until(`!document.querySelector('.attention [id^=clear-]')`))
	seen := s.Operator(t).Call(t, http.MethodGet, operators+"/payments/"+wrong.Number, "", nil).JSON(t)
	assert.NotContains(t, seen, "flag")
	at(t, page, "#/payment/"+wrong.Number)
	reads(t, page, "main", "The bank sent it back.")
	reads(t, page, "main", `Marked as dealt with\s+Wrong amount\s+Operator`)
	page.Screenshot(t, "console-payment")

	at(t, page, "#/jobs")
	page.Do(t, click("#pause-audit"), click("dialog .go"), see("#resume-audit"))
	reads(t, page, "table", `Paused\s+by operator`)
	page.Screenshot(t, "console-jobs")
	page.Do(t, click("#resume-audit"), see("#pause-audit"))
	assert.Empty(t, page.Errors())
}

func refundInPart(t *testing.T, stores *kit.Stores) {
	t.Helper()
	s, page := openConsole(t, stores)
	sale := s.Open(t, site.Sale{SKU: "harp", Price: 900})
	ada := s.Buyer(t, "ada")
	placed := ada.Buy(t, sale, "harp", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	payment := ada.Pay(t, "k", placed).JSON(t)["pay_number"].(string)
	right := site.Payment{Number: payment, Transaction: "txn-1", Amount: 900, Currency: "CNY"}
	s.Money(t, right)
	told, err := s.Notify(t.Context(), right)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)

	page.Do(t, click("#find"), chromedp.SendKeys(chromedp.CSS("#search"), placed+kb.Enter), click("#refund"),
		click("[name=what][value=amount]"))
	put(t, page, "amount", "4.00")
	put(t, page, "reason", "A string was broken.")
	assert.Equal(t, "0,true", browser.Run[string](t, page, `
		const [title, cross, form] = ['h2', '.close', 'form'].map((part) => document.querySelector('dialog > ' + part));
		const [box, { paddingLeft, paddingTop }] = [title.getBoundingClientRect(), getComputedStyle(title)];
		const left = Math.round(box.left + parseFloat(paddingLeft) - form.getBoundingClientRect().left);
		return [left, box.top + parseFloat(paddingTop) < cross.getBoundingClientRect().bottom].join()`),
		"the title is above the fields, beside the cross")
	page.Screenshot(t, "console-refund")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "main", `A string was broken.`)
	reads(t, page, "main", `Refund of ¥4\.00 ordered\s+Operator[^]*¥4\.00 has gone back\s+Gateway sandbox`)
	assert.EqualValues(t, 400, orderOf(t, ada, placed)["refunded_amount"])
	page.Screenshot(t, "console-order")

	page.Do(t, click("#refund"))
	reads(t, page, "dialog .sum", `^Nothing goes back yet\.$`)
	page.Do(t, click("[name=what][value=units]"), click("dialog .go"))
	reads(t, page, "dialog .problem", "Choose what is refunded.")
	page.Do(t, click("[name=what][value=amount]"))
	reads(t, page, "dialog", `At most .?5\.00`)
	put(t, page, "amount", "6.00")
	reads(t, page, "dialog .sum", `5\.00`)
	assert.True(t, browser.Run[bool](t, page, `return document.querySelector('[name=amount]').validity.rangeOverflow`))
	put(t, page, "amount", "0")
	page.Do(t, click("dialog .go"))
	reads(t, page, "dialog .field .bad", `^More than 0, or choose units\.$`)
	page.Do(t, click("dialog .row .quiet"))
	assert.EqualValues(t, 400, orderOf(t, ada, placed)["refunded_amount"], "0 is not all that is left")
	for _, text := range page.Errors() {
		assert.Regexp(t, "409|422", text)
	}
}
