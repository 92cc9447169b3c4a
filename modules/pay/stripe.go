package pay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"
)

// StripeConfig turns the channel stripe on. The webhook's endpoint must listen to
// payment_intent.succeeded, refund.created, refund.updated, refund.failed and charge.dispute.*, in
// version 2024-10-28 of the API or a later one.
type StripeConfig struct {
	// SecretKey is the API key: sk_live_…, sk_test_…, or rk_… (with rights to PaymentIntents and
	// refunds).
	SecretKey string
	// PublishableKey, pk_live_… or pk_test_… as the secret key is, is handed to clients with a payment.
	PublishableKey string
	// Methods are the payment methods that buyers are offered, as Stripe names them. Methods whose money
	// takes days are refused. Default card, with the wallets that use cards.
	Methods []string
	// WebhookSecret, whsec_…, is the signing secret of the webhook.
	WebhookSecret string
	// BaseURL is where the API is. Default https://api.stripe.com.
	BaseURL string
}

// Off says that nothing is set, so that there is no such channel.
func (c StripeConfig) Off() bool {
	return c.SecretKey == "" && c.PublishableKey == "" && c.WebhookSecret == ""
}

// Test says whether the keys are of Stripe's test mode, in which no money moves.
func (c StripeConfig) Test() bool { return stripeMode(c.SecretKey) == stripeTestMode }

// The modes of keys, as their prefixes name them.
const (
	stripeLiveMode = "live"
	stripeTestMode = "test"
)

// stripeMode is the mode of a key, empty for one that names none.
func stripeMode(key string) string {
	parts := strings.SplitN(key, "_", 3)
	if len(parts) == 3 && (parts[1] == stripeLiveMode || parts[1] == stripeTestMode) {
		return parts[1]
	}
	return ""
}

// checkKeys refuses keys in each other's place, since clients are handed the publishable one, and keys
// of different modes.
func (c StripeConfig) checkKeys() error {
	var errs []error
	secret := strings.HasPrefix(c.SecretKey, "sk_") || strings.HasPrefix(c.SecretKey, "rk_")
	if !secret || stripeMode(c.SecretKey) == "" {
		errs = append(errs, errors.New("stripe config: secret key must begin with sk_live_, sk_test_, rk_live_ or rk_test_"))
	}
	if !strings.HasPrefix(c.PublishableKey, "pk_") || stripeMode(c.PublishableKey) == "" {
		errs = append(errs, errors.New("stripe config: publishable key must begin with pk_live_ or pk_test_"))
	}
	if !strings.HasPrefix(c.WebhookSecret, "whsec_") {
		errs = append(errs, errors.New("stripe config: webhook secret must begin with whsec_"))
	}
	if len(errs) == 0 && stripeMode(c.SecretKey) != stripeMode(c.PublishableKey) {
		errs = append(errs, errors.New("stripe config: one key is of live mode, the other of test mode"))
	}
	return errors.Join(errs...)
}

// stripeSlow are the payment methods whose money comes after hours or days, or after the buyer went to
// a shop or a bank (delayed notification methods in Stripe's documents). An order waits for minutes.
var stripeSlow = []string{
	"acss_debit", "au_becs_debit", "bacs_debit", "boleto", "customer_balance", "konbini", "multibanco", "nz_bank_account", "oxxo", "payto",
	"sepa_debit", "sofort", "us_bank_account",
}

func (c StripeConfig) checkMethods() error {
	for _, method := range c.Methods {
		if method == "" || method != codeOnly(method) {
			return errors.New("stripe config: methods must be names as Stripe writes them, such as card")
		}
		if slices.Contains(stripeSlow, method) {
			return fmt.Errorf("stripe config: method %s takes hours or days, and an order waits for minutes", method)
		}
	}
	return nil
}

// Stripe takes money by PaymentIntents. The intent's id stands for the money: an intent succeeds
// at most once.
type Stripe struct {
	cfg    StripeConfig
	client *stripe.Client
	live   bool // the mode of the keys, and so of all that Stripe answers and reports
	now    func() time.Time
}

var _ Gateway = (*Stripe)(nil)

// The names of what Begin hands to the client; the intent's id is read back from there.
const (
	stripeClientSecret = "client_secret"
	stripePublishable  = "publishable_key"
	stripeIntentID     = "payment_intent"

	stripePayNumber    = "pay_number" // in the metadata of intents and refunds
	stripeRefundNumber = "refund_number"
)

// NewStripe makes the channel. The official client logs nothing and repeats nothing by itself.
func NewStripe(cfg StripeConfig, now func() time.Time) (*Stripe, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, stripe.APIURL)
	if len(cfg.Methods) == 0 {
		cfg.Methods = []string{string(stripe.PaymentMethodTypeCard)}
	}
	err := missing("stripe", setting{"secret key", cfg.SecretKey}, setting{"publishable key", cfg.PublishableKey}, setting{"webhook secret", cfg.WebhookSecret})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(cfg.checkKeys(), cfg.checkMethods(), checkBaseURL("stripe config: base URL", cfg.BaseURL)); err != nil {
		return nil, err
	}
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		HTTPClient:        newGatewayClient(),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		MaxNetworkRetries: stripe.Int64(0),
		URL:               stripe.String(strings.TrimSuffix(cfg.BaseURL, "/")),
	})
	return &Stripe{
		cfg: cfg, client: stripe.NewClient(cfg.SecretKey, stripe.WithBackends(backends)), live: !cfg.Test(), now: now,
	}, nil
}

// Channel is stripe.
func (s *Stripe) Channel() string { return "stripe" }

// Acknowledge is any 200.
func (s *Stripe) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"received":true}`)
}
