//go:build large

package browser_test

import (
	"fmt"
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

// Views are drawn again while an operator types: each second, and with each answer. What was typed stays.
func TestADialogKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	requests := `performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/orders/` + order +
		`')).length`
	at(t, page, "#/order/"+order)
	page.Do(t, click("#refund"), click("[name=what][value=amount]"), see("[name=amount]"))
	browser.Run[bool](t, page, `
		document.querySelector('[name=amount]').value = '4.00';
		window.before = `+requests+`;
		return true`)
	page.Do(t, browser.Until(requests+` > before`))
	put(t, page, "reason", "A string was broken.") // draws the view again after the answer
	assert.Equal(t, "4.00", value(t, page, "amount"))

	put(t, page, "amount", "4.005")
	page.Do(t, click("dialog .go"))
	reads(t, page, "dialog .problem", "smallest unit")
	put(t, page, "amount", "4.00")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	seen := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil).JSON(t)
	assert.EqualValues(t, 400, seen["refunded_amount"])
	assert.Empty(t, page.Errors())
}

// A draft keeps what its form doesn't show: more pictures, and milliseconds.
func TestTheFormOfADraftChangesOnlyWhatWasTyped(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{SKU: "bell", Draft: true})
	for i := range 101 { // more than a page, and in a currency without a minor unit
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: fmt.Sprintf("a-%03d", i), Title: "Other", Shop: "shop", Kind: catalogue.Virtual, Price: 500,
			Currency: "JPY",
		})
		require.NoError(t, err)
	}
	for _, sku := range []string{"a-000", "a-100"} {
		starts := time.Now().Add(time.Hour).Truncate(time.Second).Add(250 * time.Millisecond).UTC()
		const form = "2006-01-02T15:04:05.000Z"
		body := map[string]any{
			"title": "Bells", "shop_id": "shop",
			"starts_at": starts.Format(form), "ends_at": starts.Add(time.Hour).Format(form),
			"pay_within_s": 30, "permit_ratio": 1.5, "waiting_room": map[string]any{"paths_per_second": 0.5},
			"limits":      map[string]any{"user": map[string]any{"requests": 10, "seconds": 60}},
			"description": "Loud.\nVery.", "segments": []string{"gold", "vip"},
			"images": []string{"https://img.example/1.png", "https://img.example/2.png"},
			"skus": []any{map[string]any{
				"sku_id": sku, "flash_price": 450, "stock": []any{map[string]any{"point_id": "0", "quantity": 3}},
			}},
		}
		answer := s.Operator(t).Call(t, http.MethodPut, operators+"/activities/"+id, "", body)
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		draft := activity(t, s, id)
		page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
		assert.Equal(t, "450", value(t, page, "price-0"), sku)
		put(t, page, "title", "More bells "+sku)
		page.Do(t, click("#save"), see("#saved"))
		saved := activity(t, s, id)
		assert.Greater(t, saved["version"], draft["version"], "each change has a version of its own")
		draft["title"], draft["version"] = "More bells "+sku, saved["version"]
		assert.Equal(t, draft, saved)
	}
	assert.Empty(t, page.Errors())
}

func TestTheConsoleMakesASaleOneForSegments(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{Draft: true})
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/edit/"+id), chromedp.Reload(), see("form.edit"))
	put(t, page, "segments", "vip Gold")
	page.Do(t, click("#save"), see("#wrong"), see(`.edit [name="segments"][aria-invalid=true]`))
	page.Do(t, browser.Until(`document.querySelector("form.edit").textContent.includes("lower-case letters")`))
	put(t, page, "segments", " vip,gold ")
	page.Do(t, click("#save"), see("#saved"))
	assert.Equal(t, []any{"gold", "vip"}, activity(t, s, id)["segments"])
	put(t, page, "segments", "")
	page.Do(t, see("#unsaved"), click("#save"), see("#saved"))
	assert.NotContains(t, activity(t, s, id), "segments")
}

// A new sku with an id that is there would replace the sku that has it.
func TestANewSKUReplacesNone(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell", Draft: true})
	at(t, page, "#/goods")
	page.Do(t, see("tbody tr"), click(".heading .go"))
	for name, text := range map[string]string{
		"sku_id": "bell", "title": "Another", "shop_id": "shop", "price": "7.00",
	} {
		put(t, page, name, text)
	}
	page.Do(t, click("dialog .go"))
	reads(t, page, "dialog .problem", "There is one with this id already")
	put(t, page, "sku_id", "drum")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "table", "Another")
	sku := s.Operator(t).Call(t, http.MethodGet, operators+"/skus/bell", "", nil).JSON(t)
	assert.Equal(t, "Bell", sku["title"])
}

// Addresses come from anywhere: an address that is no address shows a view, and ids can't lead to other routes.
func TestTheConsoleTakesAnyAddress(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	op := s.Operator(t)
	refund := op.Call(t, http.MethodPost, operators+"/orders/"+order+"/refund", "k",
		map[string]any{"amount": 300}).JSON(t)
	at(t, page, "#/order/%E0%A4%A")
	page.Do(t, see("main .problem"))
	at(t, page, "#/order/..%2Factivities")
	page.Do(t, see("main .problem"))
	assert.False(t, browser.Run[bool](t, page, `
		return performance.getEntriesByType('resource').some((r) => r.name.endsWith('/v1/activities'))`))
	at(t, page, "#/%")
	page.Do(t, see(".attention"))
	number := refund["refund_number"].(string)
	at(t, page, "#/money/refunds?refund_number="+number)
	reads(t, page, "main table", number)
	asked := browser.Run[bool](t, page, `
		return performance.getEntriesByType('resource').some((r) => r.name.endsWith('/refunds/`+number+`'))`)
	assert.True(t, asked, "the refund is asked for, not looked for in the first page")
	for _, text := range page.Errors() {
		assert.Regexp(t, "status of 4", text)
	}
}

// One of two vouchers goes back: that one is void, and the other can be redeemed.
func TestAnOperatorRefundsOneOfTwoVouchers(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "card", Title: "Card", Shop: "shop", Kind: catalogue.Voucher, Price: 500, Currency: "CNY", Stock: 10,
	})
	require.NoError(t, err)
	ada := s.Buyer(t, "ada")
	placed := ada.Call(t, http.MethodPost, "/api/v1/orders", "k", map[string]any{
		"items": []map[string]any{{"sku_id": "card", "quantity": 2}},
	})
	require.Equal(t, http.StatusCreated, placed.Status, "%s", placed.Body)
	order := placed.JSON(t)["orders"].([]any)[0].(map[string]any)["order_number"].(string)
	payment := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "txn-card", Amount: 1000,
		Currency: "CNY",
	}
	s.Money(t, payment)
	told, err := s.Notify(t.Context(), payment)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	codes := func() []any {
		found, _ := orderOf(t, ada, order)["items"].([]any)[0].(map[string]any)["voucher_codes"].([]any)
		return found
	}
	both := codes()
	require.Len(t, both, 2)

	at(t, page, "#/order/"+order)
	page.Do(t, click("#refund"), click("[name=what][value=amount]"), see("[name=force]"))
	put(t, page, "amount", "5.00")
	page.Do(t, click("dialog .go"))
	reads(t, page, "dialog .problem", "Choose the vouchers that are refunded")
	page.Do(t, click("[name=what][value=units]"))
	put(t, page, "amount", "")
	page.Do(t, click("[name=voucher_"+both[0].(string)+"]"))
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	seen := orderOf(t, ada, order)
	assert.EqualValues(t, 500, seen["refunded_amount"], "the price of the one that was chosen")
	assert.Equal(t, both[1:], codes())
	for _, text := range page.Errors() {
		assert.Contains(t, text, "409")
	}
}

// The shop paid a refund back itself, and an operator says so.
func TestAnOperatorReportsARefundOfMoneyPaidOutside(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{}), "sku", "k").Placed(t).OrderNumber
	op := s.Operator(t)
	marked := op.Call(t, http.MethodPost, operators+"/orders/"+order+"/mark_paid", "k",
		map[string]any{"reason": "Cash"})
	require.Equal(t, http.StatusOK, marked.Status, "%s", marked.Body)
	number := op.Call(t, http.MethodPost, operators+"/orders/"+order+"/refund", "k2",
		map[string]any{"amount": 30}).JSON(t)["refund_number"].(string)
	at(t, page, "#/money/refunds?refund_number="+number)
	page.Do(t, click("#report-"+number))
	reads(t, page, "dialog", "Say whether it did")
	page.Screenshot(t, "console-report-refund")
	page.Do(t, click("dialog .go"))
	assert.Equal(t, "pending", op.Call(t, http.MethodGet, operators+"/refunds/"+number, "", nil).JSON(t)["status"],
		"nothing was chosen")
	page.Do(t, click("dialog [name=status][value=failed]"))
	reads(t, page, "dialog .go", "^Mark as failed$")
	assert.True(t, browser.Run[bool](t, page, `return document.querySelector('dialog [name=reason]').required`))
	page.Do(t, click("dialog [name=status][value=done]"))
	reads(t, page, "dialog .go", "^Mark as refunded$")
	assert.Zero(t, count(t, page, "dialog [name=reason]"))
	put(t, page, "reference", "re_1")
	page.Do(t, click("dialog .go"),
		browser.Until(`!document.querySelector('dialog')`))
	assert.Equal(t, "done", op.Call(t, http.MethodGet, operators+"/refunds/"+number, "", nil).JSON(t)["status"])
	assert.Empty(t, page.Errors())
}
