//go:build large

package browser_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A link says by which room and share a buyer came. The buyer looks around, loads the page again, buys with a remark
// and a field, and the order has all of it; so has the link that the buyer shares. The next link replaces all that is
// kept.
func TestAnOrderHasWhatTheLinkSaidAndWhatTheBuyerWrote(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	id := s.Open(t, site.Sale{})
	link := "/?room_id=room-7&share_source=chat#/sale/" + id + "?share_code=S%2B1&inviter_id=bob"
	page.Do(t, chromedp.Navigate(s.URL+link))
	page.Do(t, see("#buy"), click("a.brand"), see("a.sale"), chromedp.Reload(), see("a.sale"))
	page.Do(t, click(`a[href="#/sale/`+id+`"]`), see("#buy"), click(".extras summary"),
		chromedp.SendKeys(chromedp.CSS("#remark"), "Ring twice"), click("#add-field"),
		fill("field_name", "gift"), fill("field_value", "yes"))
	shares := func(want url.Values) {
		t.Helper()
		shared, err := url.Parse(browser.Run[string](t, page, `return document.querySelector('#share').dataset.link`))
		require.NoError(t, err)
		assert.Equal(t, want, shared.Query())
	}
	shares(url.Values{
		"room_id": {"room-7"}, "share_source": {"chat"}, "share_code": {"S+1"}, "inviter_id": {"ada"},
	})
	page.Do(t, click("#buy"), click("#place"), see(".way"))
	reads(t, page, ".said", `Ring twice\s+gift\s+yes`)
	order := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+number(t, page), "", nil).JSON(t)
	for field, want := range map[string]any{
		"room_id": "room-7", "share_code": "S+1", "share_source": "chat", "inviter_id": "bob",
		"remark": "Ring twice", "fields": map[string]any{"gift": "yes"},
	} {
		assert.Equal(t, want, order[field], field)
	}
	page.Do(t, chromedp.Navigate(s.URL+"/?share_source=mail#/sale/"+id), see("#buy"))
	shares(url.Values{"share_source": {"mail"}, "inviter_id": {"ada"}})
	assert.Empty(t, page.Errors())
}

func TestABuyerSearchesTheOrdersByTitleNumberKindAndTime(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	lamp, spa := s.Open(t, site.Sale{SKU: "lamp"}), s.Open(t, site.Sale{SKU: "spa", Kind: "voucher"})
	ada := s.Buyer(t, "ada")
	ada.Buy(t, lamp, "lamp", "k").Task(t)
	voucher := ada.Buy(t, spa, "spa", "k").Task(t)["order_number"].(string)
	s.Drain(t)
	shows := func(orders int, text string) {
		t.Helper()
		page.Do(t, browser.Until(`document.querySelectorAll('a.row-order').length === `+string(rune('0'+orders))))
		if orders > 0 {
			reads(t, page, "a.row-order", text)
		}
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"))
	shows(2, "Spa")
	page.Do(t, click("#filters"), chromedp.SendKeys(chromedp.CSS("#filter-name"), "LAMP\n"))
	shows(1, "Lamp")
	page.Do(t, chromedp.Reload())
	shows(1, "Lamp")
	page.Do(t, click(`nav a[href="#/orders"]`))
	shows(2, "Spa")
	page.Do(t, click("#filters"), chromedp.SendKeys(chromedp.CSS("#filter-number"), voucher+"\n"))
	shows(1, "Spa")
	choose := func(id, value string) {
		browser.Run[bool](t, page, `
			const select = document.getElementById('`+id+`');
			select.value = '`+value+`';
			select.dispatchEvent(new Event('change', { bubbles: true }));
			return true`)
	}
	choose("filter-kind", "virtual")
	shows(0, "")
	choose("filter-kind", "voucher")
	shows(1, "Spa")
	choose("filter-period", "older")
	shows(0, "")
	assert.Empty(t, page.Errors())
}
