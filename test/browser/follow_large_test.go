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

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// Moving between views takes no stream after the other, until the buyer may open none any more.
func TestABuyerMovesBetweenOrdersWithoutRunningOutOfStreams(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada := s.Buyer(t, "ada")
	order := ada.Buy(t, s.Open(t, site.Sale{SKU: "lamp"}), "lamp", "k").JSON(t)["order_number"].(string)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"))
	opened := `performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/ticket')).length > 0`
	for range 10 {
		page.Do(t, see("a.row-order"), browser.Until(opened))
		at(t, page, "#/order/"+order)
		page.Do(t, see(".way"))
		at(t, page, "#/orders")
	}
	s.Drain(t)
	page.Do(t, chromedp.Reload(), see("a.row-order"))
	for _, text := range page.Errors() {
		assert.NotContains(t, text, "429")
	}
}

// A page whose stream was refused, since the buyer has too many, opens one when it may.
func TestAPageWhoseStreamWasRefusedTriesAgain(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	ada := s.Buyer(t, "ada")
	streams := openStreams(t, s, ada)
	page.Do(t, chromedp.Navigate(s.URL+"/#/orders"), see("h1"))
	require.Eventually(t, func() bool {
		for _, text := range page.Errors() {
			if strings.Contains(text, "429") {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	most := len(streams)
	for _, stream := range streams {
		stream()
	}
	require.Eventually(t, func() bool {
		streams := openStreams(t, s, ada)
		for _, stream := range streams {
			stream()
		}
		return len(streams) == most-1
	}, time.Minute, 250*time.Millisecond, "one of them is the page's")
}

// The label of a number field doesn't belong to the button beside it.
func TestAClickOnQuantityChangesNothing(t *testing.T) {
	t.Parallel()
	s, page := openShop(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp"})
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see("#quantity"))
	page.Do(t, click(".stepper button:last-child"), click(".stepper button:last-child"))
	page.Do(t, browser.Until(`document.querySelector('#quantity').value === '3'`), click("label[for=quantity]"))
	assert.True(t, focused(t, page, "#quantity"))
	assert.Equal(t, "3", browser.Run[string](t, page, `return document.querySelector('#quantity').value`))
	// No label on the page belongs to a button.
	assert.Zero(t, browser.Run[int](t, page,
		`return [...document.querySelectorAll('label')].filter((l) => l.control?.tagName === 'BUTTON').length`))
}

// openStreams opens as many event streams of a buyer as the program allows, and returns what closes each.
func openStreams(t *testing.T, s *site.Site, buyer *site.Person) (closes []func()) {
	t.Helper()
	for {
		ticket := buyer.Call(t, http.MethodPost, "/api/v1/me/events/ticket", "", nil).JSON(t)["ticket"].(string)
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/me/events?ticket="+ticket, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req) //nolint:bodyclose // closes ends it
		require.NoError(t, err)
		if res.StatusCode != http.StatusOK {
			cancel()
			require.Equal(t, http.StatusTooManyRequests, res.StatusCode)
			return closes
		}
		closes = append(closes, cancel)
	}
}
