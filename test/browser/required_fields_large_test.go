//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// An operator says which fields the orders of goods must have; an edit of their title keeps them. A buyer fills them in
// before the basket is ordered, and is told so.
func TestAShopAsksForTheFieldsThatItsGoodsRequire(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	operator := s.Operator(t)
	operator.PutSKU(t, "card", client.SKURequest{
		Title: "Game card", ShopID: "shop", Kind: "virtual", Price: 900, Currency: "CNY", Stock: 5,
	})
	edit := func(name, text string) {
		t.Helper()
		page.Do(t, click("tbody tr .actions button"))
		put(t, page, name, text)
		page.Screenshot(t, "console-required-fields")
		page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	}
	at(t, page, "#/goods?sku_id=card")
	page.Do(t, see("tbody tr"))
	edit("required_fields", " Account \n\n区服\n")
	edit("title", "Card of a game")
	card := site.Read[client.SKU](t, http.StatusOK, operator.Call(t, http.MethodGet, operators+"/skus/card", "", nil))
	assert.Equal(t, []string{"Account", "区服"}, card.RequiredFields)
	assert.Equal(t, "Card of a game", card.Title)

	page.Do(t, chromedp.Navigate(s.URL+"/#/goods"), click(".cards .add"), click(`main a[href="#/basket"]`))
	reads(t, page, "#order-reason", "Fill in the fields marked")
	page.Do(t, click("#order:not([disabled])"), see("[name=required_field][aria-invalid=true]:focus"))
	reads(t, page, ".asked", `Account[^]*Fill this in\.[^]*区服[^]*Fill this in\.`)
	page.Screenshot(t, "basket-required-fields")
	const fill = `
		const fields = document.querySelectorAll('[name=required_field]');
		for (const [i, text] of ['ada#1', '3'].entries()) {
			fields[i].value = text;
			fields[i].dispatchEvent(new Event('input', { bubbles: true }));
			await new Promise((then) => setTimeout(then, 50));
		}
		return fields.length`
	assert.Equal(t, 2, browser.Run[int](t, page, fill))
	page.Do(t, click("#order"), see("#actions"), click("#actions #pay"), see(".way .paid.done"))
	reads(t, page, ".said", `Account\s+ada#1\s+区服\s+3`)
	fields := s.Buyer(t, "ada").GetOrder(t, number(t, page)).Fields
	assert.Equal(t, map[string]string{"Account": "ada#1", "区服": "3"}, fields)
	assert.Empty(t, page.Errors())
}

// Of a refunded order an operator gives the units back, once.
func TestAnOperatorRestocksARefundedOrder(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	s.Operator(t).RefundOrder(t, order, "all", client.RefundRequest{Reason: "It came back"})
	at(t, page, "#/order/"+order)
	const restock = `[...document.querySelectorAll('button')].find((b) => b.innerText === 'Put back into stock')`
	page.Do(t, browser.Until(restock))
	page.Screenshot(t, "console-restock")
	browser.Run[bool](t, page, restock+`.click(); return true`)
	put(t, page, "reason", "It is unused")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`), browser.Until(`!`+restock))
	reads(t, page, "main", "Units put back into stock")
	changes := s.Operator(t).ListChanges(t, "order:"+order)
	assert.Equal(t, "order.restocked", changes[0].Action)
	assert.Empty(t, page.Errors())
}

// In one dialog an operator refunds the rest of an order and puts its units back; a part of the money puts none back.
func TestAnOperatorRefundsAndRestocksAtOnce(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	at(t, page, "#/order/"+order+"?do=refund")
	page.Do(t, click("[name=what][value=amount]"))
	put(t, page, "amount", "1")
	page.Do(t, see("dialog [name=restock]:disabled"))
	reads(t, page, "dialog", "Possible once all money of the order goes back")
	page.Do(t, click("[name=what][value=all]"), click("dialog [name=restock]:enabled"), click("dialog .go"),
		browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "main", "Units put back into stock")
	changes := s.Operator(t).ListChanges(t, "order:"+order)
	assert.Equal(t, "order.restocked", changes[0].Action)
	assert.Empty(t, page.Errors())
}
