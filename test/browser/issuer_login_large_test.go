//go:build large

package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/issuer"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator of one shop signs in with an account of their own, sees what belongs to the shop, and signs out.
func TestAnOperatorOfAShopSignsInAtTheIssuer(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	i := issuer.Start(t, time.Now)
	i.Claims = map[string]any{"sub": "olga", "role": "admin", "shop": "lamps"}
	s := site.Start(t, kit.OnEmbedded(t), site.Reachable(), site.Configured(func(cfg *server.Config) {
		cfg.Dev, cfg.OIDC, cfg.OIDCSecret = false, i.Setting("&shop_claim=shop"), issuer.ClientSecret
	}))
	s.Open(t, site.Sale{SKU: "course", Kind: catalogue.Virtual}) // of another shop
	page := b.Page(t, s.URL+"/docs")
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/goods"), see("#issuer-login"), see("textarea[name=token]"))
	assert.Contains(t, text(t, page, "#issuer-login"), "Sign in with 127.0.0.1")

	page.Do(t, click("#issuer-login"), see("#sign-out"), browser.Until(`location.hash === '#/goods'`))
	assert.Contains(t, text(t, page, ".who"), "olga")
	assert.Contains(t, text(t, page, ".who"), "lamps")
	menu := text(t, page, "#menu nav")
	for _, hidden := range []string{"Settings", "Keys", "Jobs"} {
		assert.NotContains(t, menu, hidden)
	}
	assert.NotContains(t, text(t, page, "main"), "course")
	assert.False(t, browser.Run[bool](t, page, `return [document.cookie, ...Object.values(sessionStorage),
		...Object.values(localStorage)].some((kept) => kept.includes('onrush_'))`), "a script can read the session")

	page.Do(t, click("#sign-out"))
	reaches := func(condition string) {
		t.Helper()
		require.Eventually(t, func() bool { return page.Reaches(browser.Until(condition)) }, // another page is loaded
			time.Minute, 50*time.Millisecond)
	}
	reaches(`document.querySelector('#issuer-login') && !document.querySelector('#sign-out')`)
	i.Set(func(s *issuer.State) { s.Claims = map[string]any{"sub": "olga"} })
	page.Do(t, click("#issuer-login"))
	reaches(`document.body.textContent.includes('may do nothing here')`)
	require.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('#sign-out'))`))
}
