package browser_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// inFours returns a number in groups of four, as the page of an order has it, too.
func inFours(number string) string {
	return strings.TrimSpace(regexp.MustCompile(`.{4}`).ReplaceAllString(number, "$0 "))
}

// rows waits until my orders show a number of them.
func rows(t *testing.T, page *browser.Page, count int) {
	t.Helper()
	page.Do(t, browser.Until(fmt.Sprintf(`document.querySelectorAll('a.row-order').length === %d`, count)))
}

// A row has the number, the picture and the state of its order, and pays or cancels it, which asks first and is sent
// once.
func TestARowOfMyOrdersPaysOrCancelsItsOrder(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp"})
	ada := s.Buyer(t, "ada")
	ada.Buy(t, sale, "lamp", "a").Placed(t)
	ada.Buy(t, sale, "lamp", "b").Placed(t)
	s.Drain(t)
	all := ada.ListOrders(t, "").Items
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"))
	rows(t, page, 2)
	reads(t, page, ".order-card:nth-child(1)",
		`Lamp[^]*No. `+inFours(all[0].OrderNumber)+`[^]*\d+:\d\d left to pay[^]*¥1.00[^]*Pay`)
	assert.Equal(t, 2, browser.Run[int](t, page, `return document.querySelectorAll('.order-card .picture').length`))
	loadAxe(t, page)("my orders")
	page.Screenshot(t, "orders-rows")

	refusing(t, page, "POST .*/cancel", "not_payable")
	page.Do(t, click(".order-card:nth-child(1) .cancel-row"), see("dialog .danger"))
	browser.Run[bool](t, page, `
		const cancel = document.querySelector('dialog .danger');
		cancel.click(); cancel.click();
		return true`)
	reads(t, page, "dialog [role=alert]", "can't be paid any more")
	assert.Equal(t, 1, browser.Run[int](t, page, `return sent.length`), "the second click does nothing")
	refusingNone(t, page)
	page.Do(t, click("dialog .danger"))
	reads(t, page, ".order-card:nth-child(1) .badge", "^You cancelled this order$")
	page.Do(t, chromedp.WaitNotPresent(chromedp.CSS("dialog"), rarely))
	assert.Len(t, browser.Run[[]float64](t, page, `
		const ends = [...document.querySelectorAll('.sum')].map((at) => at.getBoundingClientRect().right);
		return [...new Set(ends)]`), 1, "rows with and without buttons have the same columns")

	page.Do(t, click(".order-card:nth-child(2) .pay-row"), see("#actions"), chromedp.Navigate(s.URL+"/#/orders"))
	page.Do(t, click(".order-card:nth-child(2) .pay-row"), see("#actions"), click("#actions #pay"),
		see(".way .paid.done"))
	assert.Len(t, ada.ListPayments(t, all[1].OrderNumber), 1, "the second press goes on with the first payment")
	at(t, page, "#/orders")
	reads(t, page, ".order-card:nth-child(2) .badge", "^Paid$")
}
