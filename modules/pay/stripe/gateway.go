package stripe

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/pay"
	"onrush/modules/pay/channels"
	"onrush/modules/pay/gateway"
)

// Gateway takes payments by PaymentIntents. The intent's id is the transaction id, since an intent succeeds
// at most once.
type Gateway struct {
	cfg    Config
	client *stripe.Client
	http   *http.Client // of client
	live   bool         // the mode of the keys, which answers and notifications must have
	now    func() time.Time
}

var (
	_ pay.GatewayWithWays = (*Gateway)(nil)
	_ pay.CoarseGateway   = (*Gateway)(nil)
)

// The names of the parameters that Begin returns; the intent's id is read from the stored ones.
const (
	clientSecret = "client_secret"
	publishable  = "publishable_key"
	intentID     = "payment_intent"
	returnURL    = "return_url"

	payNumber    = "pay_number" // in the metadata of intents and refunds
	refundNumber = "refund_number"
)

// New returns the channel; it checks cfg. The client of the library is set to log and retry nothing.
func New(cfg Config, now func() time.Time) (*Gateway, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, stripe.APIURL)
	if len(cfg.Methods) == 0 {
		cfg.Methods = []string{string(stripe.PaymentMethodTypeCard)}
	}
	err := gateway.Missing("stripe", gateway.Setting{Name: "secret key", Value: cfg.SecretKey},
		gateway.Setting{Name: "publishable key", Value: cfg.PublishableKey},
		gateway.Setting{Name: "webhook secret", Value: cfg.WebhookSecret})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(cfg.checkKeys(), cfg.checkMethods(),
		gateway.CheckBaseURL("stripe config: base URL", cfg.BaseURL)); err != nil {
		return nil, err
	}
	client := gateway.NewClient(now)
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		HTTPClient:        client,
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		MaxNetworkRetries: stripe.Int64(0),
		URL:               stripe.String(strings.TrimSuffix(cfg.BaseURL, "/")),
	})
	return &Gateway{
		cfg: cfg, client: stripe.NewClient(cfg.SecretKey, stripe.WithBackends(backends)), http: client,
		live: !cfg.Test(), now: now,
	}, nil
}

// CloseIdleConnections closes the connections that are kept for the next calls.
func (g *Gateway) CloseIdleConnections() { g.http.CloseIdleConnections() }

// Calls is what gateway.Called says.
func (g *Gateway) Calls() (resting bool, underWay int) { return gateway.CallsOf(g.http) }

// Channel returns "stripe".
func (g *Gateway) Channel() string { return "stripe" }

// Ways returns Stripe's form, which the client shows with the secret.
func (g *Gateway) Ways() []channels.Way {
	return []channels.Way{{Device: channels.Computer, By: clientSecret}, {Device: channels.Phone, By: clientSecret}}
}

// Acknowledge returns an empty body: Stripe requires only the status 200.
func (g *Gateway) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"received":true}`)
}
