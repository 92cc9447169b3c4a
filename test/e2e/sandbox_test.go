package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestInstanceSendsPendingNotificationsOfTheSandboxAtItsStart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		first := site.Start(t, stores)
		buyer := first.Buyer(t, "buyer")
		order := buyer.Buy(t, first.Open(t, site.Sale{}), "sku", "key").Placed(t)
		page, err := url.Parse(buyer.BeginPayment(t, "key", order.OrderNumber).Next.RedirectURL)
		require.NoError(t, err)
		acted := first.Stranger().Call(t, http.MethodPost, page.Path+"/pay?"+page.RawQuery, "",
			client.SandboxActionRequest{})
		require.Equal(t, http.StatusAccepted, acted.Status, string(acted.Body))
		attempts := func() (n int) { // at the webhook, which no instance of this test has
			require.NoError(t, stores.DB.Read.GetContext(t.Context(), &n,
				`SELECT COALESCE(SUM(attempts), 0) FROM sandbox_notices`))
			return n
		}
		require.Eventually(t, func() bool { return attempts() > 0 }, 10*time.Second, 10*time.Millisecond)
		first.Stop(t)
		before := attempts()

		site.Start(t, stores)
		require.Eventually(t, func() bool { return attempts() > before }, 20*time.Second, 10*time.Millisecond)
	})
}

func TestTheSandboxKnowsWhereTheBuyerReturns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		sale := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		number := alice.Buy(t, sale, "sku", "k").Placed(t).OrderNumber
		begun := site.Read[client.Payment](t, http.StatusCreated,
			alice.Call(t, http.MethodPost, "/api/v1/payments", "p", client.PaymentRequest{
				OrderNumbers: []string{number}, Channel: "sandbox", ReturnURL: site.ShopOrigin + "/paid?n=1",
			}))
		_, state, found := strings.Cut(begun.Next.RedirectURL, "/sandbox/pay/")
		require.True(t, found)
		shown := site.Read[client.SandboxState](t, http.StatusOK,
			s.Stranger().Call(t, http.MethodGet, "/sandbox/state/"+state, "", nil))
		assert.Equal(t, site.ShopOrigin+"/paid?n=1", shown.ReturnURL)
	})
}
