//go:build large

package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// What the browser keeps of a buyer is not for the next one: who signs out, or signs in as somebody else, leaves
// nothing. A visitor who signs in keeps the basket.
func TestNothingOfABuyerIsLeftForTheNextOne(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	page := b.Page(t, s.URL+"/#/basket")
	names := []string{"basket", "basket-key", "purchase:1~lamp", "wait:1", "typed:address"}
	fill := func() {
		t.Helper()
		browser.Run[bool](t, page, `
			for (const name of ['basket', 'basket-key', 'wait:1']) localStorage.setItem(name, '[]');
			for (const name of ['purchase:1~lamp', 'typed:address']) sessionStorage.setItem(name, '{}');
			localStorage.setItem('language', 'en');
			return true`)
	}
	left := func() []string {
		return browser.Run[[]string](t, page, `return [...Object.keys(localStorage), ...Object.keys(sessionStorage)]`)
	}
	signIn := func(user string) {
		t.Helper()
		token, err := s.Server.Auth.Sign(user, web.RoleUser, time.Hour)
		require.NoError(t, err)
		page.Do(t, chromedp.SendKeys(chromedp.CSS("textarea[name=token]"), token), click("main form .go"),
			see("main .empty"))
	}
	fill()
	page.Do(t, chromedp.Reload())
	signIn("ada")
	assert.Subset(t, left(), names, "a visitor signed in")
	page.Do(t, click(".top button.quiet:not(.square)"), see("textarea[name=token]"))
	for _, name := range names {
		assert.NotContains(t, left(), name, "signed out")
	}
	signIn("ada")
	fill()
	browser.Run[bool](t, page, `sessionStorage.removeItem('token'); return true`)
	page.Do(t, chromedp.Reload())
	signIn("ada")
	assert.Subset(t, left(), names, "the same buyer")
	browser.Run[bool](t, page, `sessionStorage.removeItem('token'); return true`)
	page.Do(t, chromedp.Reload())
	signIn("bob")
	for _, name := range names {
		assert.NotContains(t, left(), name, "another buyer")
	}
}

// An operator who signs out leaves no draft of a sale to the next one.
func TestNoDraftOfAnOperatorIsLeftForTheNextOne(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	page := b.Page(t, s.URL+"/admin")
	token, err := s.Server.Auth.Sign("ada", web.RoleAdmin, time.Hour)
	require.NoError(t, err)
	put(t, page, "token", token)
	page.Do(t, click("form:has([name=token]) .go"), see(".attention"))
	browser.Run[bool](t, page, `localStorage.setItem('onrush.sale.~new', '{}'); return true`)
	page.Do(t, click("#sign-out"), see("[name=token]"))
	assert.Zero(t, browser.Run[int](t, page, `
		return Object.keys(localStorage).filter((name) => name.startsWith('onrush.sale.')).length`))
}
