//go:build large

package browser_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/app/server"
	payments "onrush/modules/pay"
	"onrush/modules/pay/hosted"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// bank begins payments at a page, or answers nothing if it has none.
type bank struct {
	hosted.Gateway

	page string
}

func (b *bank) Begin(context.Context, hosted.Payment) (hosted.Next, error) {
	if b.page == "" {
		return hosted.Next{}, payments.ErrUnavailable
	}
	return hosted.Next{RedirectURL: b.page}, nil
}

func TestABuyerWhoseGatewayDoesNotAnswerIsOfferedTheOthersAtOnce(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	away, good := &bank{}, &bank{}
	s := site.Start(t, kit.OnEmbedded(t), site.Reachable(), site.Configured(func(cfg *server.Config) {
		cfg.SandboxSecret = ""
		cfg.Hosted = []server.HostedGateway{{Name: "acme", Gateway: away}, {Name: "bank", Gateway: good}}
	}))
	good.page = s.URL + "/docs"
	sale := s.Open(t, site.Sale{})
	page := b.Page(t, s.URL+"/#/sale/"+sale)
	browser.Run[bool](t, page, `localStorage.setItem('language', 'en'); return true`)
	page.Do(t, chromedp.Reload(), click("#buy"), click("#place"), see("section.pay #pay"))
	assert.Empty(t, browser.Run[string](t, page, `return document.querySelector('.others')?.textContent ?? ''`))
	page.Do(t, click("section.pay #pay"), see(".others button"))
	assert.Equal(t, "Pay with bank", text(t, page, ".others"))
	assert.Contains(t, text(t, page, ".problem"), "doesn't answer")
	page.Do(t, click(".others button"), see("#quick-start"))
}
