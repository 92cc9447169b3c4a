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

// Who pastes a token that is not an operator's, or not valid, is told so, and can paste another one. What was typed
// before a token expired is kept.
func TestAnOperatorSignsInAgain(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) { cfg.Dev = false }))
	s.Open(t, site.Sale{SKU: "bell", Draft: true})
	page := b.Page(t, s.URL+"/docs") // of the same origin
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	token := func(role web.Role) string {
		t.Helper()
		signed, err := s.Server.Auth.Sign("ada", role, time.Hour)
		require.NoError(t, err)
		return signed
	}
	paste := func(token string) {
		t.Helper()
		put(t, page, "token", token)
		page.Do(t, click("form:has([name=token]) .go"))
	}
	page.Do(t, chromedp.Navigate(s.URL+"/admin"), see("[name=token]"))
	paste("no token\nat all ✓")
	reads(t, page, "body", "not valid")
	assert.NotContains(t, browser.Run[string](t, page, `return document.body.innerText`), "connection is lost")
	paste(token(web.RoleUser))
	reads(t, page, "main .problem", "operator")
	page.Do(t, click("main .problem .go"), see("[name=token]"))
	paste("Bearer " + token(web.RoleAdmin))
	page.Do(t, see(".attention"))
	at(t, page, "#/edit")
	page.Do(t, see("form.edit"))
	put(t, page, "title", "Half typed")
	browser.Run[bool](t, page, `
		const real = window.fetch;
		window.fetch = (url, options) => real(url, options?.body ?
			{ ...options, headers: { ...options.headers, Authorization: 'Bearer old' } } : options);
		window.mend = () => { window.fetch = real; };
		return true`)
	page.Do(t, click("#save"), see("[name=token]"))
	browser.Run[bool](t, page, `mend(); return true`)
	paste(token(web.RoleAdmin))
	page.Do(t, browser.Until(`!document.querySelector('[name=token]')`))
	assert.Equal(t, "Half typed", value(t, page, "title"))
	page.Do(t, click("#save"), see("#saved"))

	reads(t, page, "header .who", `ada$`)
	page.Do(t, click("#sign-out"), see(".card.narrow"), click("header button[aria-expanded]"))
	reads(t, page, ".drawer", "Each request appears here")
}
