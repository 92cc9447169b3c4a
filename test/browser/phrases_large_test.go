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

// badBreaks returns the headings and labels in which a line ends within a word or between a figure and its unit, or
// whose last line is a single character.
const badBreaks = `
	const words = new Intl.Segmenter('zh', { granularity: 'word' });
	const bad = [];
	for (const label of document.querySelectorAll('h1, h2, h3, legend, button, .button, .badge, .name, .top nav a')) {
		if (!label.checkVisibility() || label.closest('.hidden')) continue;
		const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
		let text = '';
		const breaks = [];
		for (let last; walker.nextNode(); ) {
			const { currentNode: node } = walker;
			for (let i = 0; i < node.length; i++) {
				const range = document.createRange();
				range.setStart(node, i);
				range.setEnd(node, i + 1);
				const { bottom, width } = range.getBoundingClientRect();
				if (width > 0 && last !== undefined && bottom - last > 8) breaks.push(text.length);
				if (width > 0) last = bottom;
				text += node.data[i];
			}
		}
		const within = (at) => {
			const { index, isWordLike } = words.segment(text).containing(at) ?? {};
			const figure = /\d\s?$/.test(text.slice(0, at)) && /^\p{Script=Han}/u.test(text.slice(at));
			return figure || (isWordLike && index < at);
		};
		const alone = breaks.length > 0 && text.slice(breaks.at(-1)).trim().length < 2;
		const lines = [0, ...breaks].map((at, i) => text.slice(at, breaks[i]));
		if (alone || breaks.some(within)) bad.push(lines.join('|'));
	}
	return bad`

// On a phone no heading and no label in Chinese breaks within a word, also not titles that a shop wrote.
func TestNoChineseLabelBreaksWithinAWord(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	for sku, title := range map[string]string{
		"one": "限量联名款头戴式无线降噪耳机首发抢购专场", "two": "年终清仓大促：全场家居用品五折起", "three": "新品 · 暖光台灯首发",
	} {
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: "plain-" + sku, Title: title, Shop: "shop", Kind: catalogue.Virtual,
			Price: 100, Currency: "CNY", Stock: 1000,
		})
		require.NoError(t, err)
		sale := s.Open(t, site.Sale{SKU: sku, PathsPerSecond: 0.01})
		changed := s.Operator(t).Call(t, http.MethodPatch, operators+"/activities/"+sale, "",
			map[string]any{"title": title})
		require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
		views := map[string]string{
			"#/": "a.sale", "#/sale/" + sale: "#buy", "#/goods": ".cards .add", "#/basket": ".empty",
			"#/orders": ".empty", "#/addresses": "#new-address", "#/wait/" + sale: ".waiting",
		}
		page.Do(t, chromedp.EmulateViewport(390, 844))
		for address, sign := range views {
			speak(t, page, "zh", s.URL+"/"+address, sign)
			assert.Empty(t, browser.Run[[]string](t, page, badBreaks), address)
		}
		page.Do(t, chromedp.EmulateViewport(320, 844))
		speak(t, page, "zh", s.URL+"/#/sale/"+sale, "#buy")
		page.Do(t, click("#buy"), see(".waiting .figure"))
		assert.Empty(t, browser.Run[[]string](t, page, badBreaks), "waiting room")
		page.Do(t, click("#leave"), see("#buy"))
		page.Screenshot(t, "phrases-"+sku)
	}
}

// A figure stays on one line with its unit.
func TestAFigureStaysWithItsUnit(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKULimit: 3})
	speak(t, page, "zh", s.URL+"/#/sale/"+sale, ".limit")
	reads(t, page, ".limit", "^每人限购 3 件$")
	page.Do(t, browser.Until(`document.querySelector('.limit').textContent.includes('3\u00a0件')`))
}
