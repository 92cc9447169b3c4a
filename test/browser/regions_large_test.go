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

// A buyer chooses a region that is served, in the spelling of its stock point, and is told where goods can't be sent
// to.
func TestABuyerChoosesARegionThatIsServed(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"east": 5},
		Regions: map[string][]string{"east": {"Shanghai", "New York"}},
	})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("[name=region-choice]"))
	assert.Equal(t, []string{"Choose a region", "New York", "Shanghai", "Another region"},
		browser.Run[[]string](t, page,
			`return [...document.querySelector('[name=region-choice]').options].map((o) => o.text)`))
	page.Do(t, fill("receiver", "Ada"), fill("phone", "13800000000"), fill("detail", "Street 1"))
	put(t, page, "region-choice", " ")
	put(t, page, "region", "Guangdong")
	buy := func() { // the button moves as the addresses come
		t.Helper()
		page.Do(t, see("#address"), browser.Until(`!document.querySelector('#buy').disabled`))
		browser.Run[bool](t, page, `document.querySelector('#buy').click(); return true`)
	}
	page.Do(t, click(".save-address"), see("#address"))
	reads(t, page, "#reason", "^Not shipped to Guangdong$")
	reads(t, page, "#cost", `^Goods\s+¥1\.00\s+Shipping\s+–\s+Total\s+–$`)
	page.Do(t, see("#buy:enabled"))
	reads(t, page, "#buy", "^New address$")
	page.Screenshot(t, "region-not-served")

	page.Do(t, chromedp.Navigate(s.URL+"/#/addresses"), click("li.card .quiet"), see("[name=region]"))
	assert.Equal(t, " ", value(t, page, "region-choice"), "another region")
	put(t, page, "region-choice", "Shanghai")
	page.Do(t, click(".save-address"), see("li.card p"))
	reads(t, page, "li.card", "Street 1, Shanghai")
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale))
	buy()
	page.Do(t, click("#place"), see(".way"))

	bob := s.Buyer(t, "bob")
	address := bob.Address(t, "  SHANGHAI")
	path := bob.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]any{"activity_id": sale, "sku_id": "lamp"}).JSON(t)["path"].(string)
	quote := bob.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
		map[string]any{"quantity": 1, "address_id": address})
	require.Equal(t, http.StatusOK, quote.Status, "%s", quote.Body)
	assert.Equal(t, "Shanghai", quote.JSON(t)["address"].(map[string]any)["region"])
}

// An extra freight is typed and shown in major units, where all goods have one currency.
func TestTheExtraFreightOfAPointIsInMajorUnits(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell", Draft: true})
	_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: "east", Name: "East", FreightExtra: 250})
	require.NoError(t, err)
	at(t, page, "#/points")
	reads(t, page, "table", `Main\s+0\s+all regions that no point claims[^]*East\s+east\s+No region yet[^]*2\.50`)
	page.Do(t, click("tbody tr:nth-child(2) .actions button"))
	assert.Equal(t, "2.50", value(t, page, "freight_extra"))
	put(t, page, "freight_extra", "3.75")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "table", `3\.75`)
	point := s.Operator(t).Call(t, http.MethodGet, operators+"/points/east", "", nil).JSON(t)
	assert.EqualValues(t, 375, point["freight_extra"])
	assert.Empty(t, page.Errors())
}

// The page of stock points says which regions several of them claim, and who wins; regions may have spaces.
func TestTheConsoleWarnsOfARegionThatTwoPointsClaim(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	for _, id := range []string{"east", "east-2"} {
		_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: id, Name: "The " + id})
		require.NoError(t, err)
	}
	for _, c := range [][]string{{"east", "Shanghai, New York"}, {"east-2", "shanghai"}} {
		at(t, page, "#/points")
		page.Do(t, see("tbody tr"))
		browser.Run[bool](t, page, `
			const rows = [...document.querySelectorAll('tbody tr')];
			rows.find((row) => row.querySelector('code').innerText === '`+c[0]+`')
				.querySelector('.actions button').click();
			return true`)
		put(t, page, "regions", c[1])
		page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	}
	reads(t, page, "main .notice", "east, east-2 claim the region Shanghai: its goods are sent from east")
	page.Screenshot(t, "console-points")
	point := s.Operator(t).Call(t, http.MethodGet, operators+"/points/east", "", nil).JSON(t)
	assert.Equal(t, []any{"Shanghai", "New York"}, point["regions"])
	assert.Empty(t, page.Errors())
}

// The form of a stock point has what buyers who collect goods need, and keeps it.
func TestAnOperatorSaysWhereAndWhenGoodsAreCollected(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	made := s.Operator(t).Call(t, http.MethodPut, operators+"/points/north", "",
		map[string]any{"name": "North", "address": "1 Harbour Road", "hours": "9 to 5", "pickup": true})
	require.Less(t, made.Status, 300, "%s", made.Body)
	at(t, page, "#/points?point_id=north")
	reads(t, page, "tbody", "1 Harbour Road\\s+9 to 5")
	page.Do(t, click("tbody .actions button"))
	assert.Equal(t, "1 Harbour Road", value(t, page, "address"), "or saving would lose it")
	put(t, page, "hours", "8 to 6")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	stored := s.Operator(t).Call(t, http.MethodGet, operators+"/points/north", "", nil).JSON(t)
	assert.Equal(t, "1 Harbour Road", stored["address"])
	assert.Equal(t, "8 to 6", stored["hours"])
	assert.Empty(t, page.Errors())
}
