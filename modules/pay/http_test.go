package pay

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/web"
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
	require.Less(t, Config{}.WithDefaults().WebhookWithin, wechatWaits)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		pending(t, stores, "money")
		store := &slowStore{}
		cfg := Config{WebhookWithin: 300 * time.Millisecond}
		processor := NewProcessor(cfg, Deps{
			DB: stores.DB, Ensure: store, Payer: order.NewPayer(func() string { return "code" }, nil, nil),
			Locks: redisdb.NewLocks(stores.Redis), Keys: stores.Keys, Clock: clock.Fixed(testClock),
			Number: func() order.Number { return 7 }, Log: slog.New(slog.DiscardHandler),
		})
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		webhooks := NewHTTPWebhooks(Gateways{"money": moneyGateway{}}, processor)
		app.Post("/webhooks/pay/:channel", web.Within(cfg.WebhookWithin), webhooks.Notify)
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

// foreignGateway reads notifications of another program.
type foreignGateway struct{ moneyGateway }

func (foreignGateway) Channel() string { return "foreign" }
func (foreignGateway) Verify(http.Header, []byte) (Notification, error) {
	return Notification{}, fmt.Errorf("foreign: out_trade_no is another program's: %w", ErrUnreadable)
}

func (foreignGateway) Acknowledge() (contentType string, body []byte) {
	return "text/plain", []byte("success")
}

// A gateway repeats a notification for days until it is acknowledged.
func TestANotificationThatCanNeverBeReadIsAcknowledgedAndLoggedOnce(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	processor := NewProcessor(Config{}, Deps{
		DB: kit.OnEmbedded(t).DB, Clock: clock.Fixed(testClock), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Post("/webhooks/pay/:channel", NewHTTPWebhooks(Gateways{"foreign": foreignGateway{}}, processor).Notify)
	for range 20 {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/pay/foreign", http.NoBody)
		res, err := app.Test(req, -1)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Equal(t, "success", string(body))
	}
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "out_trade_no is another program's")
}

// strictGateway refuses all notifications, for the reason that the body gives.
type strictGateway struct{ Gateway }

func (strictGateway) Channel() string { return "strict" }
func (strictGateway) Verify(_ http.Header, body []byte) (Notification, error) {
	return Notification{}, fmt.Errorf("%w: %s", ErrSignature, body)
}

func TestRefusedNotificationsAreLoggedWithTheirReasonAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	fake := kit.NewClock(testNow)
	var log strings.Builder
	processor := NewProcessor(Config{}, Deps{
		DB: stores.DB, Clock: clock.Fixed(fake.Now), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Post("/webhooks/pay/:channel", NewHTTPWebhooks(Gateways{"strict": strictGateway{}}, processor).Notify)
	send := func(reason, probe string) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/pay/strict",
			strings.NewReader(reason))
		req.Header.Set(ProbeHeader, probe)
		res, err := app.Test(req, -1)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	notify := func(reason string) { send(reason, "") }
	lines := func() int { return strings.Count(log.String(), "\n") }
	send("", "onrush doctor")
	require.Zero(t, lines())
	for range 50 {
		send("serial 7A is not one of ours", "a stranger")
		notify("it is too old")
	}
	require.Equal(t, 2, lines(), log.String())
	require.Contains(t, log.String(), "channel=strict")
	require.Contains(t, log.String(), "serial 7A is not one of ours")
	for i := range 100 { // a stranger
		notify(fmt.Sprint("serial ", i, " is not one of ours"))
	}
	require.Equal(t, 10, lines())
	fake.Advance(time.Minute)
	notify("it is too old")
	require.Equal(t, 10+1, lines())
	require.Contains(t, log.String(), "omitted=98", "of the first ones")
	require.Contains(t, log.String(), "omitted=92", "of the stranger's")
}
