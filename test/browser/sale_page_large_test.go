//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// The page of a sale says what an order costs with its freight before the buyer presses the button: 6.00 for the goods
// and 0.50 for the stock point that serves the address. Another point serves it too, but has no lamps.
func TestASaleSaysWhatItCostsBeforeTheBuyerPresses(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Price: 1000, Stock: map[string]int64{"east": 9}, Draft: true,
		Regions: map[string][]string{"east": {"east"}},
	})
	ctx := t.Context()
	_, err := s.Server.Catalogue.PutPoint(ctx, catalogue.Point{
		ID: "east", Name: "East", Regions: []string{"East"}, FreightExtra: 50, Pickup: true,
	})
	require.NoError(t, err)
	_, err = s.Server.Catalogue.PutPoint(ctx, catalogue.Point{
		ID: "a", Name: "Without lamps", Regions: []string{"East"}, FreightExtra: 900, Pickup: true,
	})
	require.NoError(t, err)
	_, err = s.Server.Catalogue.PutSKU(ctx, catalogue.SKU{
		ID: "lamp", Title: "Lamp", Shop: "shop", Kind: catalogue.Physical, Price: 2000, Currency: "CNY",
		Freight: catalogue.FreightRule{Fee: 600, FreeOver: 3000},
	})
	require.NoError(t, err)
	_, err = s.Server.Activities.Publish(ctx, sale, 0)
	require.NoError(t, err)

	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy[disabled]"))
	reads(t, page, "#reason", "^Add an address first")
	reads(t, page, "#cost", `Goods\s+¥10\.00\s+Shipping\s+depends on the address`)
	s.Buyer(t, "ada").Address(t, "east")
	page.Do(t, chromedp.Reload())
	reads(t, page, "#cost", `Goods\s+¥10\.00\s+Shipping\s+¥6\.50\s+Total\s+¥16\.50`)
	reads(t, page, "#buy", `^Buy now · ¥16\.50$`)
	reads(t, page, "#reason", "^You confirm next, then have 15 minutes to pay.$")
	reads(t, page, ".when", `^Until .*\d:\d\d.* \S+$`)
	assert.Equal(t, "2", browser.Run[string](t, page, `
		const field = document.querySelector('#quantity');
		field.value = '2.5';
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return field.value`), "whole units")
	page.Do(t, browser.Until(`!document.querySelector('.stepper button').title`))
	for _, at := range [][3]string{
		{"1", ".less", "One unit is the least."}, {"100000", ".more", "You can buy up to "},
	} {
		assert.Contains(t, browser.Run[string](t, page, `
			const field = document.querySelector('#quantity');
			field.value = '`+at[0]+`';
			field.dispatchEvent(new Event('change', { bubbles: true }));
			await new Promise((done) => setTimeout(done, 50));
			return document.querySelector('.stepper `+at[1]+`[disabled]').title`), at[2])
	}
	browser.Run[bool](t, page, `
		const field = document.querySelector('#quantity');
		field.value = '2';
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return true`)
	page.Do(t, click(".stepper .more"))
	reads(t, page, "#cost", `Shipping\s+¥0\.50\s+Total\s+¥30\.50`)
	page.Screenshot(t, "sale-cost")
	page.Do(t, click("#buy"))
	reads(t, page, "dialog .amounts", `¥30\.50`)
	reads(t, page, "dialog", "Pay within 15 minutes. Otherwise the order is cancelled")
	reads(t, page, "#buy", "^Buy now")
}

// The button of a sale that can't be bought from is grey, and the bar says the reason.
func TestASaleSaysWhyNothingCanBeBought(t *testing.T) {
	t.Parallel()
	s, page, sale := atSale(t, site.Sale{Stock: map[string]int64{"0": 1}})
	s.Operator(t).PauseActivity(t, sale)
	reads(t, page, "#buy[disabled]", "^Paused · opens by itself$")
	reads(t, page, "#reason", "^The sale is paused. It will resume")
	s.Operator(t).ResumeActivity(t, sale)
	reads(t, page, "#buy:enabled", "^Buy now")
	soon := s.Open(t, site.Sale{SKU: "soon", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
	at(t, page, "#/sale/"+soon)
	reads(t, page, "#reason", `^Press to be in line. You confirm before you buy.$`)
}

// Where all sales are stopped, the button says so before it is pressed, and to buyers who wait already.
func TestASaleSaysThatAllSalesAreStopped(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{})
	stop := func(stopped bool) {
		t.Helper()
		changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/settings", "",
			map[string]any{"sales_stopped": stopped})
		require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	}
	stop(true)
	reads(t, page, "#buy[disabled]", "^All sales are paused$")
	reads(t, page, "#reason", "^They will resume")
	reads(t, page, ".badge", "^Paused$")
	page.Screenshot(t, "sale-stopped")
	stop(false)
	reads(t, page, "#buy:enabled", "^Buy now")

	refusing(t, page, "POST .*/seckill/path", "sales_stopped")
	page.Do(t, click("#buy"))
	reads(t, page, "#buy[aria-disabled]", "^All sales are paused$")
	reads(t, page, "#reason", "^No order is taken now. Stay on this page")
	refusingNone(t, page)
	page.Do(t, see("dialog #place"))
}

// On a small window nothing that sticks covers what has the focus: neither the header, nor the menu, nor the ways back
// to waiting rooms.
func TestNothingCoversWhatHasTheFocusInASale(t *testing.T) {
	t.Parallel()
	s, page, _ := atSale(t, site.Sale{})
	covered := func() []string {
		t.Helper()
		return browser.Run[[]string](t, page, `
			const covered = [];
			const all = [...document.querySelectorAll('main :is(a, button, input, summary)')];
			for (const at of [...all, ...all.toReversed()].filter((at) => !at.disabled && at.checkVisibility())) {
				at.focus();
				at.scrollIntoView({ block: 'nearest' }); // as the Tab key does
				const { x, y, width, height } = at.getBoundingClientRect();
				for (const dy of [2, height / 2, height - 2]) {
					const top = document.elementFromPoint(x + width / 2, y + dy);
					const hides = top !== at && !at.closest('.buy-bar') && top?.closest('.top, .in-line, .buy-bar');
					if (hides) covered.push((at.id || at.className) + ' at ' + dy);
				}
			}
			return covered;`)
	}
	sizes := [][2]int64{{800, 600}, {390, 640}, {1024, 500}}
	for _, size := range sizes {
		page.Do(t, chromedp.EmulateViewport(size[0], size[1]))
		assert.Empty(t, covered(), "%v", size)
	}
	page.Do(t, chromedp.EmulateViewport(390, 640))
	assert.True(t, browser.Run[bool](t, page, `
		scrollTo(0, 0);
		const { top, bottom } = document.querySelector('#buy').getBoundingClientRect();
		return top > 0 && bottom < innerHeight`), "a phone shows the button at once")
	for _, sku := range []string{"a", "b"} {
		id := s.Open(t, site.Sale{SKU: sku, PathsPerSecond: 1, StartsIn: time.Hour, EndsIn: 2 * time.Hour})
		browser.Run[bool](t, page, `
			const wait = { at: Date.now(), key: '`+sku+`', sku: '`+sku+`', quantity: 1, choice: {}, worth: 100 };
			localStorage.setItem('wait:`+id+`', JSON.stringify(wait));
			return true`)
	}
	page.Do(t, chromedp.Reload(), see("#buy"), browser.Until(`document.querySelectorAll('.in-line a').length === 2`))
	for _, size := range sizes {
		page.Do(t, chromedp.EmulateViewport(size[0], size[1]))
		assert.Empty(t, covered(), "%v, with two waits", size)
	}
}

// The link to a sale is copied; where a page has no clipboard, as one of plain http, or may not use it, it is shown.
func TestALinkThatCannotBeCopiedIsShown(t *testing.T) {
	t.Parallel()
	_, page, sale := atSale(t, site.Sale{})
	clipboard := func(value string) {
		t.Helper()
		browser.Run[bool](t, page, `
			Object.defineProperty(navigator, 'clipboard', { value: `+value+`, configurable: true });
			return true`)
		page.Do(t, click("#share"))
	}
	for _, none := range []string{`undefined`, `{ writeText: async () => { throw new Error('refused'); } }`} {
		clipboard(none)
		reads(t, page, ".share", "^It can't be copied here. Select it and copy. http.*/sale/"+sale)
		clipboard(`{ writeText: async (text) => { window.copied = text; } }`)
		reads(t, page, ".share", "^Copied.$")
	}
	assert.Contains(t, browser.Run[string](t, page, `return window.copied`), "/sale/"+sale)
	assert.Empty(t, page.Errors())
}

// A buyer picks the goods up at a point that has them, and reads where that is and when it is open.
func TestABuyerChoosesWhereToPickTheGoodsUp(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"harbour": 5, "station": 5},
	})
	for _, p := range []catalogue.Point{
		{ID: "airport", Name: "Airport, without lamps", Pickup: true},
		{ID: "harbour", Name: "Harbour", Pickup: true, Address: "1 Quay <b>", Hours: "Mon to Sat, 9:00 to 20:00"},
		{ID: "station", Name: "Station", Pickup: true},
	} {
		_, err := s.Server.Catalogue.PutPoint(t.Context(), p)
		require.NoError(t, err)
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), click(".delivery .option:last-child input"), see("#point"))
	assert.Equal(t, []string{"Harbour", "Station"}, browser.Run[[]string](t, page,
		`return [...document.querySelector('#point').options].map((o) => o.text)`))
	const where = `1 Quay <b>\s+Open: Mon to Sat, 9:00 to 20:00`
	reads(t, page, ".delivery .where", where)
	reads(t, page, "#cost", `^Goods\s+¥1\.00\s+Total\s+¥1\.00$`)
	page.Screenshot(t, "pickup")
	page.Do(t, click("#buy"))
	reads(t, page, "dialog", `Pick up at Harbour\s+`+where)
	page.Screenshot(t, "pickup-confirm")
	page.Do(t, click("#place"), see(".way"))
	order := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/"+number(t, page), "", nil).JSON(t)
	assert.Equal(t, "harbour", order["pickup_point_id"])
	assert.Empty(t, page.Errors())
}

// Pictures of a sale that can't be loaded become letters, also the small ones, which choose the large one.
func TestPicturesOfASaleThatFailBecomeLetters(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#buy"), see(".pictures > .letter"))
	page.Do(t, chromedp.EmulateViewport(390, 844),
		browser.Until(`!document.querySelector('.pictures').checkVisibility()`),
		chromedp.EmulateViewport(1280, 800)) // a phone has no room for a letter
	changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "", map[string]any{
		"image_url": "/assets/demo/none.svg", "images": []string{"/assets/demo/lamp.svg", "/assets/demo/none.svg"},
	})
	require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".thumbs .letter"))
	page.Do(t, browser.Until(`document.querySelector('.thumbs img').naturalWidth > 0`))
	for strip, pictures := range map[string]int{".strip": 1, ".thumbs": 1} {
		page.Do(t, browser.Until(`document.querySelectorAll('`+strip+` .letter').length === 2`))
		assert.Equal(t, pictures, count(t, page, strip+" img"))
	}
	page.Do(t, click(".thumbs button:nth-child(2)"))
	showsPicture(t, page, 2)
}

// The picture of a sale is 4 to 3 where it leads and on its page, and 16 to 10 among others, on a phone and on a desk:
// no product is cut off. The cards of a group fill their row.
func TestThePictureOfASaleKeepsItsShape(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	for _, sku := range []string{"sku", "tea", "cup"} {
		sale := s.Open(t, site.Sale{SKU: sku})
		changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "", map[string]any{
			"image_url": "/assets/demo/lamp.svg",
		})
		require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	}
	shaped := func(selector, shape string) {
		t.Helper()
		page.Do(t, see(selector), browser.Until(`[...document.querySelectorAll('`+selector+`')].every((picture) => {
			const { width, height } = picture.getBoundingClientRect();
			return width > 100 && Math.abs(width / height - `+shape+`) < 0.02;
		})`))
	}
	for _, size := range windows {
		page.Do(t, chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(s.URL+"/#/"))
		shaped(".lead .sale > .picture", "4 / 3")
		shaped("li:not(.lead) > .sale > .picture", "16 / 10")
		page.Do(t, browser.Until(`(() => {
			const row = document.querySelector('.cards').getBoundingClientRect();
			const last = document.querySelector('.cards > :last-child').getBoundingClientRect();
			return Math.abs(row.right - last.right) < 1;
		})()`))
		page.Screenshot(t, "sales-shaped")
		page.Do(t, click(".lead a"))
		shaped(".pictures > .picture", "4 / 3")
		page.Screenshot(t, "sale-shaped")
	}
}

// The shop shows the description of goods as the text that the operator wrote in the console.
func TestGoodsAreDescribed(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", Draft: true})
	at(t, page, "#/goods?sku_id=lamp")
	page.Do(t, click("td .row.actions button"), see("dialog textarea[name=description]"))
	put(t, page, "description", "<b>Warm</b> light.\nThree levels.")
	page.Do(t, click("dialog .go"), chromedp.WaitNotPresent(chromedp.CSS("dialog"), rarely))
	s.Operator(t).PublishActivity(t, sale)
	shop := page.Tab(t, s.URL+"/#/sale/"+sale)
	reads(t, shop, ".description", `^<b>Warm</b> light\.\nThree levels\.$`)
	at(t, shop, "#/goods")
	reads(t, shop, ".cards .clamp", `^<b>Warm</b> light`)
}
