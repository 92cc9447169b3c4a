package browser_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The filters of the orders are in the address: a link shows the same orders, and so does the way back.
func TestTheFiltersOfOrdersAreInTheAddress(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	harp := paid(t, s, "harp", 900)
	bell := s.Open(t, site.Sale{SKU: "bell"})
	bob := s.Buyer(t, "bob").Buy(t, bell, "bell", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	const shown = `[...document.querySelectorAll('tbody a')].map((link) => link.innerText).join()`
	shows := func(orders string) {
		t.Helper()
		page.Do(t, browser.Until(shown+` === '`+orders+`'`))
	}
	at(t, page, "#/money/orders")
	shows(bob + "," + harp)
	page.Do(t, browser.Until(`document.querySelector('[name=activity_id] option[value="`+bell+`"]')`))
	put(t, page, "activity_id", bell)
	shows(bob)
	put(t, page, "activity_id", "")
	put(t, page, "sku_id", "bell")
	shows(bob)
	put(t, page, "sku_id", "")
	put(t, page, "status", "paid")
	shows(harp)
	// Midnight may have passed since the order was placed.
	yesterday, today := time.Now().AddDate(0, 0, -1).Format(time.DateOnly), time.Now().Format(time.DateOnly)
	put(t, page, "from", yesterday)
	put(t, page, "to", today)
	shows(harp)
	_, query, _ := strings.Cut(page.At(t), "?")
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	assert.Equal(t, url.Values{"status": {"paid"}, "from": {yesterday}, "to": {today}}, values)

	page.Do(t, click("tbody a"), see(".facts"), chromedp.NavigateBack(), see("tbody a"))
	shows(harp)
	assert.Equal(t, "paid", value(t, page, "status"))
	put(t, page, "from", "")
	put(t, page, "to", time.Now().AddDate(0, 0, -2).Format(time.DateOnly))
	page.Do(t, see(".empty"))
	reads(t, page, ".empty", "No stored order has these properties.")
	put(t, page, "to", today)
	shows(harp)
	page.Do(t, click(`.tabs a[href="#/money/orders"]`), browser.Until(`location.hash === '#/money/orders'`))
	shows(bob + "," + harp)
	assert.Empty(t, value(t, page, "status"), "the address has no filter any more")
	answers(t, page, map[string]string{`\/orders`: "throw 0"})
	put(t, page, "status", "paid")
	page.Do(t, see("main .problem"))
	shows("") // not the orders of the filter before
	answers(t, page, nil)
	page.Do(t, click("main .problem button"))
	shows(harp)
	at(t, page, "#/money/orders?room_id=r-1")
	page.Do(t, see("[name=room_id]"))
	assert.Equal(t, "r-1", value(t, page, "room_id"), "a filter that is set is not folded away")
	assert.Empty(t, page.Errors())
}
