//go:build large

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// openAddresses opens the addresses of a buyer in a shop that serves the region Shanghai.
func openAddresses(t *testing.T) (*site.Site, *browser.Page) {
	t.Helper()
	s, page := openShop(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{
		SKU: "lamp", Kind: catalogue.Physical, Stock: map[string]int64{"east": 5},
		Regions: map[string][]string{"east": {"Shanghai"}},
	})
	page.Do(t, chromedp.Navigate(s.URL+"/#/addresses"), see("#new-address"))
	return s, page
}

// Each invalid field says itself why it is invalid, whether the page or the server found it, and the first one has the
// focus.
func TestEachFieldOfAnAddressSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, page := openAddresses(t)
	reads(t, page, ".empty", "^Your addresses appear here when you add one.$")
	page.Do(t, click("#new-address"), see("[name=region-choice]"), click(".save-address"))
	for field, text := range map[string]string{
		"receiver": "receiver's name", "phone": "a phone number", "region": "Choose a region",
		"detail": "the street and house number",
	} {
		reads(t, page, "#wrong-"+field, text)
		assert.True(t, browser.Run[bool](t, page, `return Boolean(
			document.querySelector('[aria-invalid=true][aria-describedby=wrong-`+field+`]'))`), field)
	}
	page.Do(t, browser.Until(`document.activeElement.name === 'receiver'`))
	loadAxe(t, page)("address with errors")
	page.Screenshot(t, "address-errors")

	put(t, page, "receiver", "Ada")
	put(t, page, "phone", "138000\u0001")
	put(t, page, "region-choice", "Shanghai")
	put(t, page, "detail", "Street 1")
	page.Do(t, browser.Until(`!document.querySelector('[aria-invalid=true]')`), click(".save-address"))
	reads(t, page, "#wrong-phone", "can't be printed")
	page.Do(t, browser.Until(`document.activeElement.name === 'phone'`))
	assert.Equal(t, "Ada", value(t, page, "receiver"), "it is kept")
	put(t, page, "phone", "13800000000")
	page.Do(t, click(".save-address"))
	reads(t, page, "li.card", `Ada 13800000000[^]*Street 1, Shanghai`)
	assert.Len(t, s.Buyer(t, "ada").ListAddresses(t), 1)
}

// What was typed is kept in other views and after a reload, for the same buyer.
func TestAnAddressThatIsTypedIsKept(t *testing.T) {
	t.Parallel()
	_, page := openAddresses(t)
	page.Do(t, click("#new-address"), see("[name=region-choice]"), fill("receiver", "Ada"))
	put(t, page, "region-choice", "Shanghai")
	at(t, page, "#/")
	page.Do(t, see("a.sale"), click("a.sale"), see("[name=region-choice]"))
	assert.Equal(t, "Ada", value(t, page, "receiver"), "in the sale")
	put(t, page, "phone", "13800000000")
	at(t, page, "#/addresses")
	page.Do(t, chromedp.Reload(), see("[name=region-choice]"))
	for field, want := range map[string]string{"receiver": "Ada", "phone": "13800000000", "region-choice": "Shanghai"} {
		assert.Equal(t, want, value(t, page, field), field)
	}
	browser.Run[bool](t, page, `
		const buyer = document.getElementById('buyer');
		buyer.value = 'bob';
		buyer.dispatchEvent(new Event('change', { bubbles: true }));
		return true`)
	page.Do(t, see("#new-address"), click("#new-address"), see("[name=region-choice]"))
	assert.Empty(t, value(t, page, "receiver"), "bob doesn't see what ada typed")
	put(t, page, "receiver", "Bob")
	page.Do(t, click(".new-address .quiet"), click("#new-address"), see("[name=region-choice]"))
	assert.Empty(t, value(t, page, "receiver"), "cancelled")
}

func TestABuyerIsAskedBeforeAnAddressIsDeleted(t *testing.T) {
	t.Parallel()
	s, page := openAddresses(t)
	ada := s.Buyer(t, "ada")
	ada.Address(t, "Shanghai")
	page.Do(t, chromedp.Reload(), click("li .remove"), see("dialog"))
	reads(t, page, "dialog", "Delete this address[^]*Shanghai[^]*Orders that you placed keep it")
	page.Do(t, click("dialog .quiet"), browser.Until(`!document.querySelector('dialog')`))
	assert.Len(t, ada.ListAddresses(t), 1)
	page.Do(t, click("li .remove"), click("dialog .danger"), see(".empty"))
	assert.Empty(t, ada.ListAddresses(t))
	assert.Empty(t, page.Errors())
}

// The list that can't be read says so and can be read again; an address too many says what to do.
func TestAddressesSayWhatFailed(t *testing.T) {
	t.Parallel()
	_, page := openAddresses(t)
	browser.Run[bool](t, page, `
		const answered = window.fetch;
		const problem = (status, code) => new Response(JSON.stringify({ code, status }), {
			status, headers: { 'Content-Type': 'application/problem+json' },
		});
		window.fetch = async (url, options = {}) => {
			if (!String(url).includes('/addresses')) return answered(url, options);
			return options.method === 'POST' ? problem(409, 'conflict') : problem(403, 'forbidden');
		};
		return true`)
	page.Do(t, click("#new-address"), see("[name=region-choice]"))
	for _, field := range []string{"receiver", "phone", "detail"} {
		put(t, page, field, "138001")
	}
	put(t, page, "region-choice", "Shanghai")
	page.Do(t, click(".save-address"))
	reads(t, page, ".problem", "as many addresses as there may be")
	at(t, page, "#/")
	page.Do(t, see("a.sale"))
	at(t, page, "#/addresses")
	reads(t, page, ".problem", "You may not do this.[^]*Try again")
}
