//go:build large

package browser_test

import (
	"net/http"
	"os"
	"path/filepath"
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

// inEachState draws a view with pictures, if they are asked for, and looks for what axe-core knows in light and dark.
func inEachState(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.Screenshot(t, name)
	accessible(t, page, name)
}

// Codes are pasted or read from a file. Where a line has none nothing is imported; then the counts say what was.
func TestAnOperatorImportsAPartnersCodes(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	library := axe(t)
	s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	s.Open(t, site.Sale{SKU: "bell"})
	pools := func() []any {
		return s.Operator(t).Call(t, http.MethodGet, operators+"/vouchers", "", nil).JSON(t)["items"].([]any)
	}
	speak(t, page, "en", s.URL+"/admin#/goods", "#import-spa")
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#import-bell'))`))
	page.Do(t, click("#import-spa"))
	put(t, page, "codes", "P-1\n\nP 2\n P-3 ")
	reads(t, page, "dialog .sum", `^Line 3 has a space: “P 2”\.\s+What a code is\s+2 codes\.$`)
	page.Do(t, click("dialog .go"))
	assert.Equal(t, "Line 3 has a space: “P 2”.", browser.Run[string](t, page, `
		return document.querySelector('[name=codes]').validationMessage`))
	assert.Zero(t, count(t, page, "dialog .problem"), "it is said once")
	assert.Empty(t, pools())
	browser.Run[bool](t, page, library+"; return true")
	assert.False(t, browser.Run[bool](t, page, `const d = document.querySelector('dialog')
		return [d, ...d.querySelectorAll('p, .sum, .muted')].some((e) => e.scrollWidth > d.clientWidth)`),
		"text is cut off")
	inEachState(t, page, "console-codes-en")

	file := filepath.Join(t.TempDir(), "codes.txt")
	require.NoError(t, os.WriteFile(file, []byte("\ufeffP-1\r\nP-2\r\n\r\nP-1\r\n"), 0o600))
	page.Do(t, chromedp.SetUploadFiles("[name=file]", []string{file}))
	reads(t, page, ".chooser", `^Choose a file\s+codes\.txt$`)
	reads(t, page, "dialog .sum", `^3 codes\.$`)
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "#codes", `Codes of spa: 2 imported\. Known already: 0\. Repeated: 1\. Left now: 2\.`)
	page.Do(t, click("#import-spa"))
	put(t, page, "codes", "P-2\nP-3")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "#codes", `Codes of spa: 1 imported\. Known already: 1\. Repeated: 0\. Left now: 3\.`)
	reads(t, page, "tbody", `Codes left: 3`)
	inEachState(t, page, "console-codes-imported")
	assert.EqualValues(t, 3, pools()[0].(map[string]any)["imported"])

	speak(t, page, "zh", s.URL+"/admin#/goods", "#import-spa")
	browser.Run[bool](t, page, library+"; return true")
	page.Do(t, click("#import-spa"))
	reads(t, page, ".chooser", `^选择文件\s+未选择文件$`)
	put(t, page, "codes", "P-4\nP 5")
	reads(t, page, "dialog .sum", `^第 2 行含有空格：“P 5”。[^]*\s券码：1 个。$`)
	put(t, page, "codes", "Gift code\n\"P-4\"\nP-5;19\n1.23E+15\n=\"007\"\n#N/A\n\"P\"5\"")
	reads(t, page, "dialog .sum", `^第 1 行含有空格：“Gift code”。 另有 4 行有误。[^]*\s券码：2 个。$`)
	put(t, page, "codes", "\nCode\nP-4")
	reads(t, page, "dialog .sum", `^第 2 行不是券码：“Code”。[^]*\s券码：1 个。$`)
	inEachState(t, page, "console-codes-zh")
	complete(t, page, "codes")
	assert.Empty(t, page.Errors())
}

// A withdrawal needs the id of the sku, and either codes or all; it leaves what a buyer has.
func TestAnOperatorWithdrawsAPartnersCodes(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	library := axe(t)
	s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher})
	s.Open(t, site.Sale{SKU: "bell"})
	imported := s.Operator(t).Call(t, http.MethodPost, operators+"/skus/spa/vouchers:import", "codes",
		map[string]any{"codes": []string{"P-1", "P-2", "P-3", "P-4"}})
	require.Equal(t, http.StatusOK, imported.Status, "%s", imported.Body)
	left := func() any {
		pools := s.Operator(t).Call(t, http.MethodGet, operators+"/vouchers", "", nil).JSON(t)["items"].([]any)
		return pools[0].(map[string]any)["left"]
	}
	speak(t, page, "en", s.URL+"/admin#/goods", "#import-spa")
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#withdraw-bell'))`))
	page.Do(t, click("tr:has(#withdraw-spa) summary"), click("#withdraw-spa"))
	put(t, page, "codes", "P-1\nP-1\nP-9")
	reads(t, page, "dialog .sum", `^3 codes\.$`)
	for _, typed := range []string{"", "bell"} {
		put(t, page, "confirm", typed)
		page.Do(t, click("dialog .go"))
		assert.True(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('dialog :invalid'))`), typed)
	}
	assert.EqualValues(t, 4, left())
	put(t, page, "confirm", "spa")
	page.Do(t, click("dialog [name=all]"), browser.Until(`!document.querySelector('dialog textarea')`))
	reads(t, page, "dialog .go", `^Withdraw 4 codes$`)
	browser.Run[bool](t, page, library+"; return true")
	inEachState(t, page, "console-withdraw-en")
	page.Do(t, click("dialog [name=all]"), see("dialog textarea"))
	put(t, page, "codes", "")
	page.Do(t, click("dialog .go"))
	reads(t, page, "dialog .problem", `^Give codes, or choose all`)
	assert.EqualValues(t, 4, left())
	put(t, page, "codes", "P-1\nP-1\nP-9")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "#codes", "Withdrawn codes of spa: 1. Not found, or a buyer's: 1.")
	assert.EqualValues(t, 3, left())

	speak(t, page, "zh", s.URL+"/admin#/goods", "#import-spa")
	browser.Run[bool](t, page, library+"; return true")
	page.Do(t, click("tr:has(#withdraw-spa) summary"), click("#withdraw-spa"), click("dialog [name=all]"))
	put(t, page, "confirm", "spa")
	inEachState(t, page, "console-withdraw-zh")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	reads(t, page, "#codes", "已撤回 spa 的券码：3 个；不存在或已发给买家：0 个。")
	assert.EqualValues(t, 0, left())
	inEachState(t, page, "console-withdrawn-zh")
	complete(t, page, "withdraw")
	assert.Empty(t, page.Errors())
}

// The total is set from what the operator saw when the form opened, or after a look at what others did.
func TestAnOperatorSetsTheStockOfASaleAtAPoint(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	library := axe(t)
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"0": 20, "east": 30}})
	units := func(point string) any {
		for _, stock := range activity(t, s, sale)["skus"].([]any)[0].(map[string]any)["stock"].([]any) {
			if stock := stock.(map[string]any); stock["point_id"] == point {
				return stock["quantity"]
			}
		}
		return nil
	}
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#stock"))
	put(t, page, "point_id", "east")
	put(t, page, "units", "4")
	page.Do(t, click("dialog .steps button:last-child"))
	reads(t, page, "dialog .sum", "^30 → 35 at east: 5 more on sale$")
	put(t, page, "how", "take")
	reads(t, page, "dialog .sum", "^30 → 25 at east$")
	put(t, page, "how", "set")
	reads(t, page, "dialog .sum", "^30 → 5 at east$")
	put(t, page, "units", "35")
	browser.Run[bool](t, page, library+"; return true")
	inEachState(t, page, "console-set-stock")
	page.Do(t, click("dialog .go"), browser.Until(`!document.querySelector('dialog')`))
	assert.EqualValues(t, 35, units("east"))
	assert.EqualValues(t, 20, units("0"))

	page.Do(t, click("#stock"))
	put(t, page, "point_id", "east")
	put(t, page, "how", "set")
	put(t, page, "units", "40")
	reads(t, page, "dialog .sum", "^35 → 40 at east: 5 more on sale$")
	changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "",
		map[string]string{"title": "Lamps for all"})
	require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
	page.Do(t, click("dialog .go"), see("#stale"))
	assert.EqualValues(t, 35, units("east"))
	reads(t, page, "#stale", "Lamps for all")
	page.Do(t, click("#stale-mine"), browser.Until(`!document.querySelector('dialog')`))
	assert.EqualValues(t, 40, units("east"))

	page.Do(t, click("#stock"))
	put(t, page, "units", "10")
	page.Do(t, click("dialog .go"), see("#undo"))
	reads(t, page, ".toast", `Lamp at .*\(0\): 20 → 30`)
	page.Do(t, click("#undo"), browser.Until(`!document.querySelector('#undo')`))
	reads(t, page, ".toast", "as it was before")
	require.Eventually(t, func() bool { return assert.ObjectsAreEqualValues(20, units("0")) }, time.Minute,
		50*time.Millisecond)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "409")
	}
}
