//go:build large

package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/operator"
	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// cells returns what the fields of the table of skus have, row by row.
func cells(t *testing.T, page *browser.Page) [][]string {
	t.Helper()
	return browser.Run[[][]string](t, page, `
		return [...document.querySelectorAll('.grid tbody tr')].map((row) =>
			[...row.querySelectorAll('input, select')].map((field) => field.value))`)
}

// The draft of editorOf sells boots and a kettle at the points 1 and 3; a course and a lamp are unused.
func TestTheEditorTakesCellsOfASpreadsheet(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	assert.Equal(t, [][]string{{"boots", "1.00", "", "5", "6"}, {"kettle", "3.00", "", "5", "6"}}, cells(t, page))

	paste(t, page, "price-0", "¥1,234.50\t2\t70\t80\r\n9,90\t\t\tmany\r\n5\t5\r\n")
	reads(t, page, "#pasted", `pasted: 7\..*Skipped.*: 3\.`)
	assert.Equal(t, [][]string{{"boots", "1234.50", "2", "70", "80"}, {"kettle", "9.90", "", "", "6"}}, cells(t, page))
	page.Do(t, click("#pasted button"), browser.Until(`!document.querySelector('#pasted')`))
	assert.Equal(t, "1.00", value(t, page, "price-0"), "undone")

	paste(t, page, "units-1-1", "sku_id\tWarehouse course\tprice\n"+"Lamp\t40\t19.00\n"+"boots\t7\t2.00\n")
	assert.Equal(t, [][]string{
		{"boots", "2.00", "", "7", "6"}, {"kettle", "3.00", "", "5", "6"}, {"lamp", "19.00", "", "40", ""},
	}, cells(t, page), "rows that begin with a sku find theirs, and are added")
	page.Screenshot(t, "console-edit-grid")
	page.Do(t, click("#save"), see("#saved"))
	stored := s.Operator(t).GetAdminActivity(t, draft)
	require.Len(t, stored.Skus, 3)
	lamp := stored.Skus[2]
	assert.Equal(t, "lamp", lamp.SKUID)
	assert.EqualValues(t, 1900, lamp.FlashPrice)
	require.Len(t, lamp.Stock, 1, "an empty cell is no stock point")
	assert.Equal(t, "1", lamp.Stock[0].PointID)
	assert.Empty(t, page.Errors())
}

// Goods that are not delivered are at no stock point: the table has no field for them there, and takes no paste.
func TestVirtualGoodsHaveNoStockPoints(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
		ID: "a-gift", Title: "A gift card", Shop: "shop", Kind: catalogue.Voucher, Price: 500, Currency: "CNY",
	})
	require.NoError(t, err)
	at(t, page, "#/")
	page.Do(t, see(".attention"))
	at(t, page, "#/edit/"+draft)
	page.Do(t, see("#add-sku"), click("#add-sku"), see("[name=sku-2]"))
	assert.Equal(t, []string{"a-gift", "5.00", "", "100"}, cells(t, page)[2], "its units are in one column")
	paste(t, page, "units-2-0", "30\t40\t50")
	reads(t, page, "#pasted", `pasted: 1\..*: 2\.`)
	page.Do(t, click("#save"), see("#saved"))
	stock := s.Operator(t).GetAdminActivity(t, draft).Skus[2].Stock
	require.Len(t, stock, 1)
	assert.Equal(t, "0", stock[0].PointID)
	assert.EqualValues(t, 30, stock[0].Quantity)
	assert.Empty(t, page.Errors())
}

// Pictures of hosts that the shop doesn't show are refused at their field, in the reader's language.
func TestAPictureOfAnotherHostIsRefusedAtItsField(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	refused := func(picture string) string {
		t.Helper()
		put(t, page, "image_url", picture)
		page.Do(t, see("#unsaved"), click("#save"), see("#wrong"))
		_, texts := named(t, page, "image_url")
		return texts
	}
	assert.Contains(t, refused("https://pictures.test/a.png"),
		"The shop shows pictures of this host and of https://img.example, https://shop.example")
	assert.Contains(t, refused("a.png"), "or a path on this host that starts with /")
	page.Do(t, click(`nav a[href="#/sales"]`), click("#leave-discard"), see("#new"))
	speak(t, page, "zh", s.URL+"/admin#/edit/"+draft, "form.edit")
	assert.Contains(t, refused("https://pictures.test/b.png"), "商店只显示本站和 https://img.example")
	assert.Contains(t, refused("b.png"), "开头的本站路径")
	for _, text := range page.Errors() {
		assert.Regexp(t, "422", text)
	}
}

// A form that is not complete can't be saved at the server: the browser keeps it until it is, or until it is discarded.
func TestWhatIsTypedIsKeptUntilItIsSaved(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	put(t, page, "title", "")
	put(t, page, "price-0", "")
	reads(t, page, "#unsaved", "This browser keeps it")
	page.Do(t, click(`nav a[href="#/sales"]`), see("#stay"))
	page.Screenshot(t, "console-edit-leave")
	page.Do(t, click("#stay"), browser.Until(`!document.querySelector('dialog')`))
	assert.Contains(t, page.At(t), "#/edit/"+draft)
	assert.True(t, browser.Run[bool](t, page, `
		const leaving = new Event('beforeunload', { cancelable: true });
		dispatchEvent(leaving);
		return leaving.defaultPrevented`))
	page.Do(t, click(`nav a[href="#/sales"]`), click("#leave"), see("#new"))

	other := s.Operator(t).Call(t, http.MethodGet, operators+"/activities/"+draft, "", nil).JSON(t)
	for _, name := range []string{"activity_id", "state", "lane", "created_at", "version"} {
		delete(other, name)
	}
	for _, sku := range other["skus"].([]any) {
		delete(sku.(map[string]any), "currency") // requests don't have it
	}
	other["description"] = "By somebody else"
	require.Equal(t, http.StatusOK,
		s.Operator(t).Call(t, http.MethodPut, operators+"/activities/"+draft, "", other).Status)
	at(t, page, "#/edit/"+draft)
	reads(t, page, "#restored", "is back")
	assert.Empty(t, value(t, page, "title"))
	assert.Equal(t, "By somebody else", value(t, page, "description"), "what others saved meanwhile stays")
	put(t, page, "title", "Kept")
	put(t, page, "price-0", "2.00")
	page.Do(t, click("#save"), see("#saved"))
	assert.Equal(t, "Kept", activity(t, s, draft)["title"])
	assert.Equal(t, "By somebody else", activity(t, s, draft)["description"])

	put(t, page, "title", "Dropped")
	page.Do(t, click(`nav a[href="#/sales"]`), click("#leave-discard"), see("#new"))
	at(t, page, "#/edit/"+draft)
	page.Do(t, see("form.edit"))
	assert.Equal(t, "Kept", value(t, page, "title"))
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#restored'))`))
	assert.Empty(t, page.Errors())
}

// A field that can't change any more is locked, and says why.
func TestLockedFieldsSayWhy(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	running := s.Open(t, site.Sale{SKU: "bell", Kind: catalogue.Physical, SKULimit: 2})
	at(t, page, "#/edit/"+running)
	page.Do(t, see("form.edit"))
	for name, why := range map[string]string{
		"shop_id": "Locked: the sale is published.", "starts_at": "Locked: the sale has started.",
		"pay_within": "Locked: the sale is published.",
	} {
		said := browser.Run[string](t, page, `
			const field = document.querySelector('[name=`+name+`]');
			return field.disabled ? field.closest('.field').innerText : ''`)
		assert.Contains(t, said, why)
		label, texts := named(t, page, name)
		assert.NotContains(t, label, "Locked")
		assert.Contains(t, texts, why)
	}
	reads(t, page, "form.edit", `Prices are locked[^]*`)
	reads(t, page, "form.edit", `Change the stock on the live page`)
	paste(t, page, "limit-0", "3\t50")
	reads(t, page, "#pasted", `pasted: 1\..*: 1\.`)
	page.Do(t, click("#save"), see("#apply"))
	reads(t, page, "dialog", `[Bb]ell: Limit per buyer\s+2\s+→\s+3\s+Save`)
	page.Screenshot(t, "console-edit-plan")
	assert.EqualValues(t, 2, s.Operator(t).GetAdminActivity(t, running).Skus[0].PurchaseLimit)
	page.Do(t, click("#apply"), see("#saved"))
	assert.EqualValues(t, 3, s.Operator(t).GetAdminActivity(t, running).Skus[0].PurchaseLimit)
	assert.Empty(t, page.Errors())
}

// The file of a form is what "onrush activities apply" takes: for a draft that is saved it changes nothing.
func TestTheFormMakesTheFileOfASale(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	draft := editorOf(t, s, page)
	put(t, page, "title", "Boots: \"all\" #1 – 靴子")
	put(t, page, "description", "yes\nno: 5")
	page.Do(t, click("#more-limits summary"))
	put(t, page, "limit_user", "10")
	put(t, page, "limit_user_seconds", "60")
	put(t, page, "paths_per_second", "0.5")
	page.Do(t, click("#save"), see("#saved"), click("#preview"), see("dialog .preview"))
	reads(t, page, "dialog .preview a.sale", `all[^]*from ¥1\.00\s*¥10\.00[^]*left[^]*Go to the sale`)
	assert.False(t, browser.Run[bool](t, page, `return document.querySelector('dialog a.sale').hasAttribute('href')`))
	reads(t, page, "dialog .skus", `Boots\s+¥1\.00\s*¥10\.00[^]*Units: 11`)
	page.Do(t, chromedp.EmulateViewport(390, 844), browser.Until(`matchMedia('(max-width: 46rem)').matches`))
	assert.Equal(t, 1, count(t, page, "dialog .preview"), "it outlasts that the window becomes narrow")
	page.Do(t, chromedp.EmulateViewport(1280, 844))
	page.Screenshot(t, "console-edit-preview")
	page.Do(t, click("dialog > .go"), click("#file"), see("dialog pre"))
	page.Screenshot(t, "console-edit-file")
	file, err := operator.ReadSale(strings.NewReader(browser.Run[string](t, page, `
		return document.querySelector('dialog pre').textContent`)))
	require.NoError(t, err)
	token, err := s.Server.Auth.Sign("op", "admin", time.Hour)
	require.NoError(t, err)
	plan, err := operator.NewClient(token, s.URL).Plan(t.Context(), file)
	require.NoError(t, err)
	assert.Equal(t, draft, plan.ID)
	assert.Empty(t, plan.Differences)
	assert.Equal(t, "yes\nno: 5", file.Fields["description"])
	assert.Empty(t, page.Errors())
}

// Pages of plain http have no clipboard.
func TestWhatCannotBeCopiedIsShown(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	editorOf(t, s, page)
	browser.Run[bool](t, page, `Object.defineProperty(navigator, 'clipboard', { value: undefined }); return true`)
	page.Do(t, click("#copy-table"), see("#copy-failed textarea"))
	reads(t, page, "#copy-failed", "It can't be copied here")
	assert.Contains(t, browser.Run[string](t, page, `return document.querySelector('#copy-failed textarea').value`),
		"sku_id\tflash_price\tpurchase_limit\t1\t3\nboots\t")
	page.Do(t, click("#file"), click("dialog .go"))
	reads(t, page, "#file-copy", "It can't be copied here")
	assert.Empty(t, page.Errors())
}
