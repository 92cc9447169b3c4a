//go:build large

package browser_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An order says first what became of it, with its reason, and leads back to the sale where it can be bought again.
func TestAnOrderSaysItsOutcomeFirst(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp"})
	ada := s.Buyer(t, "ada")
	order := ada.Buy(t, sale, "lamp", "k").Placed(t).OrderNumber
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see("section.pay #pay"))
	reads(t, page, "h1", "^You got it$")
	page.Do(t, see(".order .sign.done"))
	assert.Equal(t, 1, browser.Run[int](t, page,
		`return document.querySelector('.order').innerText.match(/Lamp × 1/g).length`), "it is named once")
	reads(t, page, ".left[role=timer]", `^1[45]:\d\d left to pay$`)
	reads(t, page, ".pay", `^Pay by .*\d+:\d\d\s[AP]M UTC\. Otherwise the order is cancelled`)
	reads(t, page, ".facts", `Order number\s+`+order)
	page.Screenshot(t, "order-unpaid")
	page.Do(t, click("section.pay #pay"), see("#actions"), click(`button[data-action="fail"]`), see("section.pay"))
	reads(t, page, ".pay .notice", "^Your payment has not arrived.")
	reads(t, page, "#pay", `^Try again: pay ¥1\.00$`)
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET status = 'closed'`)
	require.NoError(t, err)
	page.Do(t, chromedp.Reload())
	reads(t, page, ".pay .problem", "^Your payment by Sandbox .* failed or has ended")
	assert.Len(t, ada.ListPayments(t, order), 1)
	page.Do(t, click("section.pay #pay"), see("#actions"))
	assert.Len(t, ada.ListPayments(t, order), 2, "a closed payment is not gone on with")
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), click("#cancel"))
	reads(t, page, "dialog", "Cancel this order[^]*Lamp × 1[^]*Keep the order")
	page.Do(t, click("dialog .danger"))
	reads(t, page, "[role=status] > h1", "^You cancelled this order$")
	reads(t, page, ".after", "^You have nothing to pay.$")
	reads(t, page, ".facts", `Cancelled\s+\w+, `)
	reads(t, page, ".order", "Back to the sale")
	page.Screenshot(t, "order-cancelled")
}

// A paid voucher has a code to read, to copy and to scan; the order says how it was paid, and prints without what only
// a screen needs.
func TestAPaidVoucherCanBeScannedCopiedAndPrinted(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	order := s.Buyer(t, "ada").Buy(t, sale, "spa", "k").Placed(t).OrderNumber
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see("section.pay #pay"))
	pay(t, page)
	reads(t, page, "h1", "^Paid. Thank you.$")
	reads(t, page, ".facts", `Paid\s+\w+, .*, with Sandbox`)
	page.Do(t, browser.Until(`document.querySelector('.voucher .qr path')?.getAttribute('d').length > 100`))
	code := browser.Run[string](t, page, `
		const value = { writeText: async (text) => { window.copied = text; } };
		Object.defineProperty(navigator, 'clipboard', { value });
		return document.querySelector('.voucher code').innerText`)
	page.Do(t, click(".voucher .copy"))
	reads(t, page, ".voucher [aria-live]", "^Copied.$")
	assert.Equal(t, code, browser.Run[string](t, page, `return window.copied`))
	paid := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil).JSON(t)
	assert.Equal(t, code, paid["voucher_code"])
	page.Screenshot(t, "order-voucher")

	browser.Run[bool](t, page, `window.print = () => { window.printed = true; }; return true`)
	page.Do(t, click("#print"), browser.Until("window.printed"))
	hidden := browser.Run[[]string](t, page, `
		const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
			.filter((rule) => rule.media?.mediaText === 'print').flatMap((rule) => [...rule.cssRules]);
		return rules.filter((rule) => rule.style.display === 'none').flatMap((rule) => rule.selectorText.split(', '))`)
	assert.Subset(t, hidden, []string{".top", "footer", ".pay", ".order .actions"})
}

// An order of goods says where they go, or where the buyer picks them up.
func TestAnOrderSaysWhereItGoes(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada := s.Buyer(t, "ada")
	address := ada.Address(t, "east")
	sale := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"east": 9},
		Regions: map[string][]string{"east": {"east"}},
	})
	_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{
		ID: "east", Name: "East shop", Regions: []string{"east"}, Pickup: true, Address: "2 Station Road",
		Hours: "9 to 18",
	})
	require.NoError(t, err)
	for _, c := range []struct {
		key, fact string
		body      map[string]any
	}{
		{"a", `Ship to\s+ada, 1 Main Street, east, `, map[string]any{"quantity": 1, "address_id": address}},
		{
			"b", `Pick up at\s+East shop, 2 Station Road. Open: 9 to 18`,
			map[string]any{"quantity": 1, "delivery": "pickup", "pickup_point_id": "east"},
		},
	} {
		order := ada.Submit(t, ada.Path(t, sale, "lamp"), c.key, c.body).Placed(t).OrderNumber
		page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see(".facts"))
		reads(t, page, ".facts", c.fact)
	}
}

// A code that can't be copied, as on pages of plain http, says so. How it was paid is known in a browser that did not
// pay it.
func TestACodeThatCannotBeCopiedSaysSo(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada := s.Buyer(t, "ada")
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 100})
	order := ada.Buy(t, sale, "spa", "k").Placed(t).OrderNumber
	s.Drain(t)
	payment := site.Payment{
		Number: ada.BeginPayment(t, "k", order).PayNumber, Transaction: "txn", Amount: 100, Currency: "CNY",
	}
	s.Money(t, payment)
	_, err := s.Notify(t.Context(), payment)
	require.NoError(t, err)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"), see("a.row-order"))
	reads(t, page, ".row-order .badge", "^Code ready$")
	at(t, page, "#/order/"+order)
	reads(t, page, ".facts", `Paid\s+\w+, .*, with Sandbox`)
	page.Do(t, browser.Until(`document.querySelector('.voucher .qr path')?.getAttribute('d').length > 100`))
	browser.Run[bool](t, page, `
		Object.defineProperty(navigator, 'clipboard', { value: undefined });
		return true`)
	page.Do(t, click(".voucher .copy"))
	reads(t, page, ".voucher [aria-live]", "^It can't be copied here")
}

// While the browser goes to the gateway's page, a second press begins no other payment.
func TestPayIsPressedOnceWhileThePageIsLeft(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(func() {
		slow.CloseClientConnections() // it would wait for them
		slow.Close()
	})
	order := s.Buyer(t, "ada").Buy(t, s.Open(t, site.Sale{SKU: "lamp"}), "lamp", "k").Placed(t).OrderNumber
	s.Drain(t)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), see("section.pay #pay"))
	presses := browser.Run[int](t, page, `
		const answered = window.fetch;
		let begun = 0;
		window.fetch = async (url, options) => {
			if (options?.method !== 'POST' || !String(url).endsWith('/payments')) return answered(url, options);
			begun++;
			const next = { redirect_url: '`+slow.URL+`' };
			return new Response(JSON.stringify({ pay_number: '1', status: 'pending', next }), { status: 201 });
		};
		for (let i = 0; i < 3; i++) {
			document.querySelector('section.pay #pay').click();
			await new Promise((resolve) => setTimeout(resolve, 150));
		}
		return begun`)
	assert.Equal(t, 1, presses)
}

// A buyer whose phone is half an hour ahead of the time opens the order by a link, and pays it.
func TestAnOrderIsPaidOnAPhoneWithAWrongClock(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{})
	ada := s.Buyer(t, "ada")
	order := ada.Submit(t, ada.Path(t, id, "sku"), "k", map[string]any{"quantity": 1}).Placed(t).OrderNumber
	page.Before(t, `const now = Date.now; Date.now = () => now() + 30 * 60_000;`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/order/"+order), chromedp.Reload(), see("section.pay #pay:enabled"))
	reads(t, page, "main", "14 min|14:[0-9]{2}")
}
