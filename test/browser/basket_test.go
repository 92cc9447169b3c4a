package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// sell puts goods with a stock of 5 into the catalogue.
func sell(t *testing.T, s *site.Site, id string, price int64) {
	t.Helper()
	_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: id, Title: "The " + id, Shop: "shop", Kind: catalogue.Physical, Price: price, Currency: "CNY", Stock: 5,
		ImageURL: "/assets/demo/lamp.svg", Freight: catalogue.FreightRule{Fee: 600},
	})
	require.NoError(t, err)
}

// A buyer fills the basket, which the menu counts, sees what each line and all of it costs with the freight, orders,
// and is at the payment at once.
func TestABuyerOrdersABasketAndPaysItAtOnce(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sell(t, s, "lamp", 4900)
	sell(t, s, "chair", 9900)
	ada := s.Buyer(t, "ada")
	page.Do(t, chromedp.Navigate(s.URL+"/#/basket"), click(`.empty a[href="#/goods"]`), see(".cards .add"))
	add := func(card string) { page.Do(t, click(".cards li:nth-child("+card+") .add")) }
	add("1")
	add("2")
	reads(t, page, `nav a[href="#/basket"]`, `^Basket\s*2$`)
	page.Do(t, click(`main a[href="#/basket"]`), see(".basket-line"))
	reads(t, page, ".list", `The chair[^]*¥99.00 each[^]*The lamp[^]*¥49.00 each`)
	reads(t, page, ".amounts", `Shipping\s+depends on the address\s+Total\s+¥148.00 \+ shipping`)
	reads(t, page, "#order[disabled] + #order-reason", "Add an address first")
	assert.Equal(t, 2, browser.Run[int](t, page, `return document.querySelectorAll('.basket-line img').length`))

	page.Do(t, click(".basket-line:nth-child(2) .more"))
	reads(t, page, ".basket-line:nth-child(2) .line-total", `^¥98.00$`)
	reads(t, page, `nav a[href="#/basket"]`, `3$`)
	ada.Address(t, "east")
	page.Do(t, chromedp.Reload(), see("#address"))
	reads(t, page, ".amounts", `Goods\s+¥197.00\s+Shipping\s+¥6.00\s+Total\s+¥203.00`)
	reads(t, page, "#order", `^Order and pay · ¥203\.00$`)
	reads(t, page, "#order-reason", `^¥197\.00 \+ ¥6\.00 shipping\. You go on to pay\.$`)
	loadAxe(t, page)("basket")
	page.Screenshot(t, "basket")

	page.Do(t, click("#order"), see("#actions"), click("#actions #pay"), see(".way .paid.done"))
	order := ada.GetOrder(t, number(t, page))
	assert.EqualValues(t, 20300, order.TotalAmount)
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('nav .count').length`))
	assert.Equal(t, 1, orders(t, s, "ada"))
	assert.Empty(t, page.Errors())
}
