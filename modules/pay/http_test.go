package pay

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
)

// slowStore hangs until the time of the request is over, and finds no order after that.
type slowStore struct {
	within time.Duration // how much time the first request had
}

func (s *slowStore) EnsureStored(ctx context.Context, _ string, _ order.Number) (*order.Order, error) {
	until, _ := ctx.Deadline()
	s.within = time.Until(until)
	<-ctx.Done()
	return nil, ctx.Err()
}

// moneyGateway reports money for the payment 1, whatever it is sent.
type moneyGateway struct{ Gateway }

func (moneyGateway) Channel() string { return "money" }
func (moneyGateway) Verify(http.Header, []byte) (Notification, error) {
	return Notification{EventID: "e", TransactionID: "t", PayNumber: 1, Amount: 1, Currency: "EUR"}, nil
}

// A notification that can't be carried out in time is answered with an error while the gateway still
// waits, and nothing of it is kept.
func TestNotificationIsAnsweredBeforeTheGatewayTimesOut(t *testing.T) {
	t.Parallel()
	const wechatWaits = 5 * time.Second
	require.Less(t, Config{}.withDefaults().WebhookWithin, wechatWaits)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		pending(t, stores, "money")
		store := &slowStore{}
		cfg := Config{WebhookWithin: 300 * time.Millisecond}
		processor := NewProcessor(cfg, Deps{
			DB: stores.DB, Ensure: store, Payer: order.NewPayer(func() string { return "code" }),
			Locks: lua.NewLocks(stores.Redis), Keys: stores.Keys, Clock: lua.FixedClock(testClock),
			Number: func() order.Number { return 7 }, Log: slog.New(slog.DiscardHandler),
		})
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		NewHTTPWebhooks(Gateways{"money": moneyGateway{}}, processor).Register(app)
		res, err := app.Test(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/pay/money",
			strings.NewReader("{}")), -1)
		require.NoError(t, err)
		defer res.Body.Close() //nolint:errcheck // it was only read
		require.GreaterOrEqual(t, res.StatusCode, http.StatusInternalServerError)
		require.LessOrEqual(t, store.within, cfg.WebhookWithin)
		status, _ := statusOf(t, stores, 1)
		require.Equal(t, Pending, status)
	})
}
