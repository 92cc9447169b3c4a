//go:build large

package browser_test

import (
	"context"
	"net/http"
	"strings"
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

// byCookie is a login of a program around the platform.
func byCookie(_ context.Context, header http.Header) (web.Identity, error) {
	request := http.Request{Header: header}
	session, err := request.Cookie("session")
	if err != nil {
		return web.Identity{}, web.ErrNoCaller
	}
	if name, operator := strings.CutPrefix(session.Value, "operator-"); operator {
		return web.Identity{User: name, Role: web.RoleAdmin}, nil
	}
	return web.Identity{User: session.Value, Role: web.RoleUser}, nil
}

// The pages of a program whose host knows its callers by a cookie need no token: a visitor is sent to the host's login,
// a buyer buys and pays, an operator sees the order.
func TestThePagesKnowTheirReadersByTheHostsLogin(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t), site.Reachable(), site.Configured(func(cfg *server.Config) {
		cfg.Dev, cfg.Authenticate = false, byCookie
	}))
	course := s.Open(t, site.Sale{SKU: "course", Kind: catalogue.Virtual})
	page := b.Page(t, s.URL+"/docs")
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"), see("dialog"))
	assert.Contains(t, text(t, page, "dialog"), "Sign in on this site first")
	assert.False(t, browser.Run[bool](t, page, `return Boolean(document.querySelector('textarea[name=token]'))`))

	browser.Run[bool](t, page,
		`for (const key of ['wait:sale', 'typed:address', 'other']) sessionStorage.setItem(key, 'x');
		return true`)
	browser.Run[bool](t, page, `document.cookie = 'session=ada'; return true`)
	page.Do(t, click("#signed-in"))
	require.Eventually(t, func() bool { // the page is loaded again
		return page.Reaches(browser.Until(`document.readyState === 'complete' && !document.querySelector('dialog')`))
	}, time.Minute, 50*time.Millisecond)
	assert.Equal(t, "other", browser.Run[string](t, page, `return ['wait:sale', 'typed:address', 'other']
		.filter((key) => sessionStorage.getItem(key)).join()`), "the reader may be another one")
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+course), click("#buy"), click("#place"), see(".way"))
	order := number(t, page)
	pay(t, page)

	browser.Run[bool](t, page, `document.cookie = 'session=; max-age=0'; return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/orders"), see("#signed-in"), see("textarea[name=token]"))
	browser.Run[bool](t, page, `document.cookie = 'session=operator-olga'; return true`)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/order/"+order),
		browser.Until(`document.querySelector('main').textContent.includes('`+order+`')`))
}
