//go:build large

package browser_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// failing is what a request gets that doesn't succeed, as JavaScript, and what the page then says.
var failing = []struct{ name, answer, text string }{
	{"loading", `new Promise(() => {})`, `^Loading …$`},
	{"failed", `problem(500, 'internal')`, `^Something went wrong. Try again.\s+Try again$`},
	{"gone", `problem(404, 'not_found')`, `^This does not exist, or not any more.\s+Try again\s+See the flash sales$`},
	{"forbidden", `problem(403, 'forbidden')`, `^You may not do this.\s+Sign in with another token\s*Try again$`},
}

// fail lets requests whose path has a text fail, until window.fetch is window.answered.
func fail(t *testing.T, page *browser.Page, path, answer string) {
	t.Helper()
	browser.Run[bool](t, page, `
		window.answered ??= window.fetch;
		const problem = async (status, code) => new Response(JSON.stringify({ status, code, refresh_after_ms: 1 }),
			{ status, headers: { 'Content-Type': 'application/problem+json' } });
		window.fetch = (url, options) => new RegExp(`+strconv.Quote(path)+`).test(url) ? `+answer+` :
			answered(url, options);
		return true`)
}

// Each view of a buyer before the order says that it loads, that it failed, or that the thing doesn't exist, and tries
// again.
func TestViewsBeforeTheOrderSayWhatTheyLack(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{})
	page.Do(t, chromedp.Navigate(s.URL+"/"))
	for _, view := range []struct{ address, request, there string }{
		{"#/sale/" + sale, "/activities/", "#buy"},
		{"#/wait/" + sale, "/activities/", ".waiting .empty"},
		{"#/addresses", "/addresses", ".empty"},
	} {
		for _, c := range failing {
			fail(t, page, view.request, c.answer)
			at(t, page, view.address)
			reads(t, page, "main :is(.problem, [role=status])", c.text)
			browser.Run[bool](t, page, `window.fetch = window.answered; return true`)
			if c.name != "loading" {
				page.Do(t, click(".problem .quiet"), see(view.there),
					browser.Until(`!document.querySelector('main .problem')`))
			}
			at(t, page, "#/")
			page.Do(t, see("a.sale"))
		}
	}
}

// The choice of an address or a pickup point says what it lacks, and reads both lists again.
func TestTheChoiceOfADeliverySaysWhatItLacks(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", Kind: catalogue.Physical})
	s.Buyer(t, "ada").Address(t, "east")
	page.Do(t, chromedp.Navigate(s.URL+"/"), see("a.sale"))
	for _, c := range failing {
		fail(t, page, "/(addresses|points)", c.answer)
		at(t, page, "#/sale/"+sale)
		reads(t, page, ".delivery :is(.problem, [role=status])", c.text)
		page.Do(t, see("#buy[disabled]"))
		reads(t, page, "#reason", map[bool]string{true: "^Loading …$", false: "can't be read now"}[c.name == "loading"])
		browser.Run[bool](t, page, `window.fetch = window.answered; return true`)
		if c.name != "loading" {
			page.Do(t, click(".delivery .problem .quiet"), see("#address"))
			reads(t, page, "#cost", `Shipping\s+Free`)
			page.Do(t, browser.Until(`!document.querySelector('.delivery .problem')`), see("#buy:enabled"))
		}
		at(t, page, "#/")
		page.Do(t, see("a.sale"))
	}
}
