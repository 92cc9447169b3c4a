//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A line whose units can't be ordered says why, and the button says that it waits for a change.
func TestALineOfTheBasketSaysWhyItCannotBeOrdered(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sell(t, s, "lamp", 4900)
	s.Buyer(t, "ada").Address(t, "east")
	browser.Run[bool](t, page, `localStorage.setItem('basket', JSON.stringify([
		{ sku_id: 'lamp', title: 'Lamp', kind: 'physical', quantity: 9 },
		{ sku_id: 'gone', title: 'Gone', kind: 'physical', quantity: 1 }])); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/basket"))
	reads(t, page, ".basket-line:nth-child(1) .bad", "Fewer than 9 are left")
	reads(t, page, ".basket-line:nth-child(2) .bad", "no longer sold")
	reads(t, page, "#order[disabled] + #order-reason", "Change or remove")
	reads(t, page, ".amounts", `Shipping\s+–`)
	assert.False(t, shows(t, page, "#remark"), "the note is folded, as in a sale")
	page.Do(t, click(".extras summary"), see("#remark"))
	page.Screenshot(t, "basket-problems")
	page.Do(t, click(".basket-line:nth-child(2) .remove"))
	browser.Run[bool](t, page, `
		const units = document.querySelector('.basket-line input');
		units.value = '5';
		units.dispatchEvent(new Event('change', { bubbles: true }));
		return true`)
	reads(t, page, "#order:not([disabled]) + #order-reason", "You go on to pay")
}

// The answer to an order never comes. Another tab, and another address, don't order the basket again.
func TestABasketIsOrderedOnce(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sell(t, s, "lamp", 4900)
	ada := s.Buyer(t, "ada")
	first := ada.Address(t, "east")
	browser.Run[bool](t, page, `localStorage.setItem('basket', JSON.stringify([
		{ sku_id: 'lamp', title: 'Lamp', kind: 'physical', quantity: 1 }])); return true`)
	basket := s.URL + "/#/basket"
	page.Do(t, chromedp.Navigate(basket), see("#order:not([disabled])"))
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await answered(url, options);
			if (!String(url).endsWith('/orders')) return answer;
			window.placed = true;
			return new Promise(() => {});
		};
		return true`)
	other := page.Tab(t, basket)
	other.Do(t, see("#order:not([disabled])"))
	page.Do(t, click("#order"), browser.Until("window.placed"))
	other.Do(t, click("#order"))
	reads(t, other, "main .problem", "Another tab orders this basket")
	page.Do(t, chromedp.Navigate("about:blank"))

	second := ada.Address(t, "east")
	require.NotEqual(t, first, second)
	other.Do(t, chromedp.Reload(), see("#address"))
	browser.Run[bool](t, other, `
		const select = document.getElementById('address');
		select.value = '`+second+`';
		select.dispatchEvent(new Event('change', { bubbles: true }));
		return true`)
	other.Do(t, click("#order:not([disabled])"))
	reads(t, other, "main .problem", "may have been ordered already[^]*My orders")
	assert.Equal(t, 1, orders(t, s, "ada"))
	browser.Run[bool](t, other, `document.getElementById('order').click(); return true`)
	other.Do(t, see("#actions"))
	assert.Equal(t, 2, orders(t, s, "ada"), "the buyer was told, and wants it")
	assert.Equal(t, "[]", browser.Run[string](t, other, `return localStorage.getItem('basket')`))
}

// Goods that can't be read are not taken for gone, and no total leaves them out. The costs are asked for again by
// themselves, and while they are not known for a number of units, nothing is said of it.
func TestABasketThatIsNotReadSaysSo(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sell(t, s, "lamp", 4900)
	sell(t, s, "chair", 9900)
	page.Do(t, chromedp.Navigate(s.URL+"/#/addresses"), see("#new-address"))
	browser.Run[bool](t, page, `localStorage.setItem('basket', JSON.stringify([
		{ sku_id: 'lamp', title: 'Lamp', kind: 'physical', quantity: 9 },
		{ sku_id: 'chair', title: 'Chair', kind: 'physical', quantity: 1 }])); return true`)
	refusing(t, page, "GET .*/skus/chair", "unavailable")
	at(t, page, "#/basket")
	reads(t, page, "main [role=alert]", "Try again")
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('.amounts').length`))
	refusingNone(t, page)
	page.Do(t, click("main [role=alert] button"))
	reads(t, page, ".amounts", `Total\s+¥540.00`)

	s.Buyer(t, "ada").Address(t, "east")
	at(t, page, "#/addresses")
	page.Do(t, see(".list .card"))
	refusing(t, page, "POST .*/orders/confirm", "unavailable")
	at(t, page, "#/basket")
	reads(t, page, ".column > .problem", "Try again")
	assert.Greater(t, browser.Run[int](t, page, `return sent.length`), 1, "it was asked for again")
	refusingNone(t, page)
	page.Do(t, click(".column > .problem button"))
	reads(t, page, ".basket-line .bad", "Fewer than 9 are left")
	refusing(t, page, "POST .*/orders/confirm", "")
	page.Do(t, click(".basket-line .less"), browser.Until("sent.length > 0"), browser.Until(
		`!document.querySelector('.basket-line .bad')`), see("#order[disabled]"))
	reads(t, page, "#order-reason", "Calculating the amounts")
}

// The goods of two shops become two orders of one payment. Where the payment has no page, its view says how it is paid;
// each order links to it, and can be paid alone.
func TestABasketOfTwoShopsIsPaidByOnePayment(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	for _, shop := range []string{"one", "two"} {
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: shop, Title: "Of " + shop, Shop: shop, Kind: catalogue.Virtual, Price: 100, Currency: "CNY", Stock: 5,
		})
		require.NoError(t, err)
	}
	browser.Run[bool](t, page, `localStorage.setItem('basket', JSON.stringify([
		{ sku_id: 'one', title: 'One', kind: 'virtual', quantity: 1 },
		{ sku_id: 'two', title: 'Two', kind: 'virtual', quantity: 1 }])); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/basket"))
	// As WeChat answers: a code to scan instead of a page.
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await answered(url, options);
			if (!/payments/.test(url)) return answer;
			const body = await answer.json();
			for (const payment of body.items ?? [body]) {
				if (payment.next) payment.next = { params: { code_url: 'weixin://pay' } };
			}
			return new Response(JSON.stringify(body), { status: answer.status, headers: answer.headers });
		};
		return true`)
	page.Do(t, click("#order:not([disabled])"), see("main .qr"))
	reads(t, page, "h1", `^Pay ¥2.00 for 2 orders$`)
	reads(t, page, ".order", `Of (one|two) × 1\s+¥1.00\s+Of (one|two) × 1\s+¥1.00\s+Total of these orders\s+¥2.00`)
	page.Do(t, click(`main li a[href^="#/order/"]`), see("#pay"))
	reads(t, page, ".pay .go", "^Pay ¥2.00 for 2 orders$")
	reads(t, page, "#pay", "^Pay only this order$")
	reads(t, page, ".order",
		`Total of these orders\s+¥2.00[^]*This order\s+O\s+Of (one|two) × 1\s+¥1.00\s+Total\s+¥1.00`)
	page.Screenshot(t, "order-of-a-payment")
	list := s.Buyer(t, "ada").ListOrders(t, "").Items
	payments := s.Buyer(t, "ada").ListPayments(t, list[0].OrderNumber)
	require.Len(t, payments, 1)
	notice := site.Payment{Number: payments[0].PayNumber, Transaction: "txn", Amount: 200, Currency: "CNY"}
	s.Money(t, notice)
	answer, err := s.Notify(t.Context(), notice)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status)
	reads(t, page, "h1", "^Paid. Thank you.$")
	at(t, page, "#/payment/"+payments[0].PayNumber)
	reads(t, page, "h1", "^Paid. Thank you.$")
}
