//go:build large

package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// keyStory is an operator on a program where tokens are pasted.
type keyStory struct {
	*site.Site
	page *browser.Page
}

func newKeyStory(t *testing.T) *keyStory {
	t.Helper()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	page := b.Page(t, s.URL+"/docs") // of the same origin
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/admin"), see("[name=token]"))
	return &keyStory{s, page}
}

// signsIn pastes a token or a key.
func (k *keyStory) signsIn(t *testing.T, text string) {
	t.Helper()
	put(t, k.page, "token", text)
	k.page.Do(t, click("form:has([name=token]) .go"))
}

// key makes a key at the server.
func (k *keyStory) key(t *testing.T, scope string) (secret, id string) {
	t.Helper()
	made := k.Operator(t).Call(t, http.MethodPost, operators+"/keys", scope,
		map[string]string{"name": "the " + scope, "scope": scope})
	require.Equal(t, http.StatusCreated, made.Status, "%s", made.Body)
	return made.JSON(t)["secret"].(string), made.JSON(t)["key_id"].(string)
}

// menu returns the texts of the menu.
func (k *keyStory) menu(t *testing.T) []string {
	t.Helper()
	return browser.Run[[]string](t, k.page, `
		return [...document.querySelectorAll('#menu a')].map((link) => link.textContent.trim())`)
}

// An operator makes a key in the console. Who pastes it redeems a voucher, sees nothing else, and is signed out when it
// is revoked.
func TestAKeyIsMadeUsedAndRevokedInTheConsole(t *testing.T) {
	t.Parallel()
	k := newKeyStory(t)
	page := k.page
	check := loadAxe(t, page)
	sale := k.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900})
	ada := k.Buyer(t, "ada")
	order := ada.Buy(t, sale, "spa", "k").JSON(t)["order_number"].(string)
	k.Drain(t)
	pay := site.Payment{
		Number: ada.Pay(t, "k", order).JSON(t)["pay_number"].(string), Transaction: "t", Amount: 900, Currency: "CNY",
	}
	k.Money(t, pay)
	_, err := k.Notify(t.Context(), pay)
	require.NoError(t, err)
	code := k.Operator(t).Call(t, http.MethodGet, operators+"/orders/"+order, "", nil).JSON(t)["voucher_code"].(string)

	token, err := k.Server.Auth.Sign("boss", web.RoleAdmin, time.Hour)
	require.NoError(t, err)
	k.signsIn(t, token)
	page.Do(t, see(".attention"))
	at(t, page, "#/keys")
	page.Do(t, see(".empty"), click("#new-key"), see("dialog [name=name]"))
	put(t, page, "name", "Till 3")
	reads(t, page, "dialog .sum", "redeem vouchers")
	check("the form of a key")
	page.Screenshot(t, "console-keys-new")
	page.Do(t, click("dialog .go"), see("#secret"))
	secret := browser.Run[string](t, page, `return document.querySelector('#secret').innerText`)
	assert.Regexp(t, `^onrush_[a-z2-7]{39}$`, secret)
	check("a new key")
	page.Do(t, browser.Until(`document.querySelector('tbody') && document.querySelector('dialog').matches(':modal')`))
	page.Screenshot(t, "console-keys-made")
	page.Do(t, click("#close-secret"), see("tbody tr"))
	reads(t, page, "tbody", `Till 3[^]*Valid[^]*by boss`)
	assert.NotContains(t, browser.Run[string](t, page, `return document.documentElement.outerHTML`), secret)
	page.Do(t, click("#sign-out"), see("[name=token]"))

	k.signsIn(t, secret[:30]+"x")
	reads(t, page, ".card .problem", "not valid")
	k.signsIn(t, "Bearer "+secret)
	reads(t, page, "main", "doesn't allow this view[^]*Everything") // the address did not change
	at(t, page, "#/")
	page.Do(t, see("[name=code]"))
	assert.Equal(t, []string{"Start"}, k.menu(t))
	reads(t, page, "header .who", `Till 3\s*Till`)
	check("the first view of a till")
	page.Screenshot(t, "console-till")
	put(t, page, "code", code)
	page.Do(t, click("form:has([name=code]) button"))
	reads(t, page, ".badge.active", "^Not redeemed$")
	page.Do(t, click("button.go"), see("dialog [name=where]"))
	put(t, page, "where", "Till 3")
	page.Do(t, click("dialog .go"))
	reads(t, page, ".facts", "operator:key:Till 3")
	page.Do(t, click(".facts a"))
	reads(t, page, ".titled", order)
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#refund'))`))

	keys := k.Operator(t).Call(t, http.MethodGet, operators+"/keys", "", nil).JSON(t)["items"].([]any)
	id := keys[0].(map[string]any)["key_id"].(string)
	k.Operator(t).Call(t, http.MethodDelete, operators+"/keys/"+id, "", nil)
	page.Do(t, see("dialog [name=token]")) // the page reads the order again
	reads(t, page, "dialog", "not valid, or not any more")
	k.signsIn(t, token)
	page.Do(t, see(".attention, .facts"))
	at(t, page, "#/keys")
	reads(t, page, "tbody", "Revoked")
	page.Screenshot(t, "console-keys")
}

// Each scope has the views and buttons that its routes allow, and asks for nothing else.
func TestTheConsoleShowsWhatAScopeAllows(t *testing.T) {
	t.Parallel()
	k := newKeyStory(t)
	sale := k.Open(t, site.Sale{SKU: "lamp"})
	for _, c := range []struct {
		scope   string
		menu    []string
		views   map[string]string // and what shows that each is drawn
		buttons []string          // in these views
	}{
		{"read", []string{"Start", "Sales", "Goods", "Stock points", "Queue", "Jobs", "Settings"}, map[string]string{
			"#/live/" + sale: ".account", "#/sales": "tbody tr", "#/goods": "tbody tr", "#/points": "h1",
			"#/queue": "h1", "#/jobs": "tbody tr", "#/settings": "h1",
		}, nil},
		{"catalogue", []string{"Start", "Sales", "Goods", "Stock points"}, map[string]string{
			"#/live/" + sale: ".account", "#/sales": "tbody tr", "#/goods": "tbody tr", "#/edit/" + sale: "form.edit",
		}, []string{"#pause", "#new", "#extend"}},
		{"support", []string{"Start", "Orders and money"}, map[string]string{
			"#/money/orders": "form.filters", "#/money/payments": "form.filters", "#/money/refunds": "form.filters",
		}, nil},
		{"events", []string{"Start", "Endpoints"}, map[string]string{"#/endpoints": ".empty"}, nil},
	} {
		secret, _ := k.key(t, c.scope)
		k.signsIn(t, secret)
		reads(t, k.page, "header .who", "the "+c.scope)
		assert.Equal(t, c.menu, k.menu(t), c.scope)
		found := map[string]bool{}
		for address, sign := range c.views {
			at(t, k.page, address)
			k.page.Do(t, see(sign))
			assert.Empty(t, browser.Run[[]string](t, k.page, `
				return [...document.querySelectorAll('main .problem')].map((problem) => problem.innerText)`), address)
			for _, button := range []string{"#pause", "#new", "#extend", "#repair", "main button.danger"} {
				if browser.Run[bool](t, k.page, `return Boolean(document.querySelector('`+button+`'))`) {
					found[button] = true
				}
			}
		}
		for _, button := range c.buttons {
			assert.True(t, found[button], "%s has %s", c.scope, button)
		}
		if c.scope == "read" {
			assert.Empty(t, found)
		}
		refused := browser.Run[[]string](t, k.page, `
			document.querySelector('#requests').click();
			await new Promise((drawn) => setTimeout(drawn, 100));
			const lines = document.querySelector('.drawer').innerText.split('\n');
			return lines.map((line, i) => lines.slice(Math.max(0, i - 3), i + 1).join(' '))
				.filter((text) => /\b403\b/.test(text))`)
		assert.Empty(t, refused, c.scope)
		k.page.Do(t, click("#requests"), click("#sign-out"), see("[name=token]"))
	}
	assert.Empty(t, k.page.Errors())
}
