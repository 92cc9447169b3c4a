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

// What an action brings takes the focus, and is in view, also on a low screen.
func TestChecksAndRunsComeIntoView(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := s.Open(t, site.Sale{SKU: "bell", Draft: true})
	page.Do(t, chromedp.EmulateViewport(1280, 500))
	arrives := func(selector string) {
		t.Helper()
		page.Do(t, browser.Until(`document.activeElement.matches('`+selector+`')`))
		assert.True(t, browser.Run[bool](t, page, `
			const { top, bottom, height } = document.querySelector('`+selector+`').getBoundingClientRect();
			return top < innerHeight - Math.min(height, 100) && bottom > 100`), selector)
	}
	at(t, page, "#/edit/"+draft)
	page.Do(t, click("#check"))
	arrives("#checks")
	at(t, page, "#/jobs")
	page.Do(t, click("tbody tr:first-child button[aria-expanded]"))
	arrives("#runs")
	page.Do(t, click("tbody tr:last-child button[aria-expanded]"))
	arrives("#runs")
	assert.Empty(t, page.Errors())
}

// Closing names the sale and what it affects; a closed sale has no time left.
func TestClosingASaleSaysWhatItAffects(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	s.Buyer(t, "ada").Buy(t, sale, "bell", "k")
	at(t, page, "#/live/"+sale)
	reads(t, page, ".when [role=timer]", "^Ends in")
	page.Do(t, click(".menu summary"), click("#close"))
	reads(t, page, "dialog h2", "^Close “Sale” for ever\\?$")
	reads(t, page, "dialog",
		`Units left: 99\. Orders that are not paid: 1\. Buyers in the waiting room: 0\.`)
	page.Do(t, click("dialog .go"), see(".at-hand .badge.offline"))
	page.Do(t, browser.Until(`!document.querySelector('.when [role=timer]')?.innerText`))
	assert.Empty(t, page.Errors())
}

// A change of stock says where: its sku and its point, before and after, and no word of the program's inside.
func TestAChangeOfStockSaysWhere(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"0": 20, "east": 30}})
	more := s.Operator(t).Call(t, http.MethodPost, operators+"/activities/"+sale+"/stock", "k",
		map[string]any{"sku_id": "lamp", "point_id": "east", "delta": 5})
	require.Less(t, more.Status, 300, "%s", more.Body)
	at(t, page, "#/changes?action=activity.stock_changed")
	reads(t, page, "tbody", `SKU\s+lamp\s+Stock point\s+east\s+Total\s+30\s+→\s+35`)
	all := text(t, page, "tbody")
	assert.NotContains(t, all, "change_id")
	s.Operator(t).PublishActivity(t, s.Open(t, site.Sale{SKU: "bell", Draft: true}))
	at(t, page, "#/changes?action=activity.published")
	reads(t, page, "tbody", "Published a sale")
	assert.NotContains(t, text(t, page, "tbody"), "lane")
	assert.Empty(t, page.Errors())
}

// An operator who must call the receiver finds the phone number on the order.
func TestAnOrderHasThePhoneOfItsReceiver(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "bell", 500)
	answers(t, page, map[string]string{`orders\/\d+`: `
		body.address = { receiver: 'Ada', phone: '+86 138 0013 8000', region: 'east', detail: '1 Long Road' }`})
	at(t, page, "#/order/"+order)
	reads(t, page, ".facts", `Phone\s+\+86 138 0013 8000`)
	assert.Empty(t, page.Errors())
}

// The check finds what a buyer would miss: a picture that isn't there, and a region that nothing is sent to.
func TestChecksFindLostPicturesAndRegions(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	_, err := s.Server.Catalogue.PutPoint(t.Context(),
		catalogue.Point{ID: "south", Name: "South", Regions: []string{"Guangdong"}})
	require.NoError(t, err)
	regions := map[string][]string{"east": {"Shanghai"}}
	everywhere := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Draft: true, Stock: map[string]int64{"0": 5, "east": 5},
		Regions: regions,
	})
	eastern := s.Open(t, site.Sale{
		SKU: "vase", Kind: catalogue.Physical, Draft: true, Stock: map[string]int64{"east": 5}, Regions: regions,
	})
	at(t, page, "#/edit/"+everywhere)
	put(t, page, "image_url", "/assets/demo/none.svg")
	page.Do(t, click("#check"))
	reads(t, page, "#checks", `A picture can't be loaded[^]*/assets/demo/none\.svg`)
	page.Do(t, click("#passed summary"))
	reads(t, page, "#checks", "Units can be sent to every region")
	at(t, page, "#/edit/"+eastern)
	put(t, page, "image_url", "/assets/demo/lamp.svg")
	page.Do(t, click("#check"))
	page.Do(t, click("#passed summary"))
	reads(t, page, "#checks", "All pictures load")
	reads(t, page, "#checks", `can't have [Vv]ase sent to them\.\s+no unit can be sent to Guangdong`)
}
