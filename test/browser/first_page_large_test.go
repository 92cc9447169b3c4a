//go:build large

package browser_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
)

// The goods go on behind the first page of them, and no card has the primary button.
func TestAllGoodsAreShownPageByPage(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	for i := range 101 {
		id := fmt.Sprintf("sku-%03d", i)
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: id, Title: id, Shop: "shop", Kind: catalogue.Virtual, Price: 100, Currency: "CNY", Stock: 1,
		})
		require.NoError(t, err)
	}
	cards := func(count int) {
		t.Helper()
		page.Do(t, browser.Until(fmt.Sprintf(`document.querySelectorAll('.cards li').length === %d`, count)))
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/goods"))
	cards(100)
	refusing(t, page, "GET .*after=", "unavailable")
	page.Do(t, click("#more-goods"))
	reads(t, page, "main [role=alert]", "Try again in a few seconds")
	cards(100)
	refusingNone(t, page)
	page.Do(t, click("#more-goods"))
	cards(101)
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('main .go, #more-goods').length`))
}
