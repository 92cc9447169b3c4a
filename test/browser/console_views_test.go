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

// view is a view of a page, with what shows that it is drawn.
type view struct{ name, address, sign string }

// crowd sends buyers into a sale, and returns when they are gone: beside them, the embedded store has little time for
// other writes.
func crowd(t *testing.T, s *site.Site, sale string, buyers int) {
	t.Helper()
	nobody := s.Stranger()
	sent := nobody.Call(t, http.MethodPost, "/dev/crowd", "", map[string]any{"activity_id": sale, "buyers": buyers})
	require.Equal(t, http.StatusAccepted, sent.Status, "%s", sent.Body)
	require.Eventually(t, func() bool {
		return nobody.Call(t, http.MethodGet, "/dev/crowd", "", nil).JSON(t)["running"] == false
	}, 2*time.Minute, 50*time.Millisecond)
}

// busy fills a program with something for each view of the console, and returns the views.
func busy(t *testing.T, s *site.Site) []view {
	t.Helper()
	op, ada := s.Operator(t), s.Buyer(t, "ada")
	spa := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900})
	lamp := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"0": 20, "east": 30}})
	draft := s.Open(t, site.Sale{SKU: "draft", Draft: true})
	order := ada.Buy(t, spa, "spa", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	payment := ada.Pay(t, "k", order).JSON(t)["pay_number"].(string)
	for _, p := range []site.Payment{
		{Number: payment, Transaction: "txn-1", Amount: 900, Currency: "CNY"},
		{Number: payment, Transaction: "txn-2", Amount: 5, Currency: "CNY"},
	} {
		s.Money(t, p)
		told, err := s.Notify(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, told.Status)
	}
	for path, body := range map[string]any{
		"/blocked/user:mallory": map[string]string{"reason": "resells"},
		"/endpoints/erp":        map[string]any{"url": "https://shop.example/onrush", "enabled": false},
	} {
		answer := op.Call(t, http.MethodPut, operators+path, "", body)
		require.Less(t, answer.Status, 300, "%s: %s", path, answer.Body)
	}
	key := op.Call(t, http.MethodPost, operators+"/keys", "k", map[string]string{"name": "till 3", "scope": "till"})
	require.Equal(t, http.StatusCreated, key.Status, "%s", key.Body)
	refund := op.Call(t, http.MethodPost, operators+"/orders/"+order+"/refund", "k",
		map[string]any{"amount": 300, "force": true}) // the voucher stays redeemable
	require.Equal(t, http.StatusAccepted, refund.Status, "%s", refund.Body)
	code := op.Call(t, http.MethodGet, operators+"/orders/"+order, "", nil).JSON(t)["voucher_code"].(string)
	crowd(t, s, lamp, 100)
	require.Equal(t, http.StatusNotFound, ada.Call(t, http.MethodGet, "/api/v1/orders/7", "", nil).Status)
	return []view{
		{"today", "#/", ".attention li:has(.text)"},
		{"sales", "#/sales", "tbody tr"},
		{"live", "#/live/" + lamp, ".account tbody"},
		{"report", "#/report/" + spa, ".report tbody tr"},
		{"edit", "#/edit/" + draft, "form.edit #check"},
		{"edit-published", "#/edit/" + spa, "form.edit #save"},
		{"orders", "#/money/orders", "tbody tr"},
		{"payments", "#/money/payments", "tbody tr"},
		{"refunds", "#/money/refunds", "tbody tr"},
		{"order", "#/order/" + order, ".facts"},
		{"payment", "#/payment/" + payment, ".facts"},
		{"voucher", "#/voucher/" + code, ".facts"},
		{"user", "#/user/ada", "tbody code"},
		{"goods", "#/goods", "tbody tr"},
		{"points", "#/points", "tbody tr"},
		{"queue", "#/queue", "h1"},
		{"jobs", "#/jobs", "tbody tr"},
		{"endpoints", "#/endpoints", "tbody tr"},
		{"deliveries", "#/deliveries/erp", "form.filters"},
		{"blocked", "#/blocked", "tbody tr"},
		{"changes", "#/changes", "tbody tr"},
		{"keys", "#/keys", "tbody tr"},
		{"settings", "#/settings", "tbody tr"},
	}
}

// complete checks that no text of a view is a value that is missing.
func complete(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	text := browser.Run[string](t, page, `return document.title + document.body.innerText`)
	assert.NotRegexp(t, `undefined|NaN|\[object`, text, name)
}

// notCards returns what of a view doesn't fit a phone: the rows of tables that are no cards, the values without the
// heading of their column, figures of an account beyond its card, and a page that scrolls sideways.
func notCards(t *testing.T, page *browser.Page) []string {
	t.Helper()
	return browser.Run[[]string](t, page, `
		const wrong = [];
		const { scrollWidth, clientWidth } = document.documentElement;
		if (scrollWidth > clientWidth) wrong.push('sideways by ' + (scrollWidth - clientWidth));
		for (const cell of document.querySelectorAll('.table:not(.wide) tbody td')) {
			if (!cell.checkVisibility()) continue;
			const shown = getComputedStyle(cell).display;
			if (shown === 'table-cell') wrong.push('no card: ' + cell.innerText);
			const heading = getComputedStyle(cell, '::before').content;
			if (cell.matches('.named') && (!cell.dataset.name || !heading.includes(cell.dataset.name)))
				wrong.push('no heading: ' + cell.innerText);
		}
		const last = document.querySelector('.account td:last-child');
		if (last && last.getBoundingClientRect().right > clientWidth) wrong.push('out of sight: ' + last.dataset.name);
		for (const row of document.querySelectorAll('.account tbody tr')) {
			const end = row.getBoundingClientRect().right - parseFloat(getComputedStyle(row).paddingRight);
			for (const cell of row.cells) {
				if (cell.getBoundingClientRect().right > end + 0.5) wrong.push('in the padding: ' + cell.dataset.name);
			}
		}
		return wrong`)
}

// Each view of the console is drawn in English and Chinese without an error; in English, what axe-core knows is
// checked in light and dark, of a dialog too.
func TestEachViewOfTheConsole(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	views := busy(t, s)
	check := loadAxe(t, page)
	for _, v := range views {
		at(t, page, v.address)
		page.Do(t, see(v.sign))
		complete(t, page, v.name)
		page.Screenshot(t, "console-"+v.name+"-en")
		check(v.name)
		primary := browser.Run[[]string](t, page, `
			return [...document.querySelectorAll('button.go')].filter((button) => button.checkVisibility())
				.map((button) => button.innerText)`)
		assert.LessOrEqual(t, len(primary), 1, "%s has the primary buttons %q", v.name, primary)
	}
	at(t, page, "#/blocked")
	page.Do(t, click("#block"), see("dialog"))
	check("the dialog")
	page.Do(t, click("dialog .quiet"))
	groups := browser.Run[[]string](t, page, `
		return [...document.querySelectorAll('#menu .group')].filter((group) => group.checkVisibility())
			.map((group) => group.innerText + ': ' + group.nextElementSibling.innerText.trim())`)
	assert.Equal(t, []string{"Sell: Sales", "Orders: Orders and money", "System: Jobs"}, groups)

	page.Do(t, chromedp.EmulateViewport(390, 844))
	speak(t, page, "zh", s.URL+"/admin", ".attention")
	for _, v := range views {
		at(t, page, v.address)
		page.Do(t, see(v.sign))
		complete(t, page, v.name+" in Chinese")
		page.Screenshot(t, "console-"+v.name+"-zh")
		fitsAZoom(t, page, v.name)
		page.Do(t, chromedp.EmulateViewport(390, 844))
		assert.Empty(t, notCards(t, page), v.name+" on a phone")
	}
	assert.Empty(t, page.Errors())
}
