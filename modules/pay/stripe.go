package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"
	"github.com/stripe/stripe-go/v84/webhook"

	"onrush/modules/order"
	"onrush/web"
)

// StripeConfig turns the channel stripe on. The webhook must be told of
// payment_intent.succeeded.
type StripeConfig struct {
	// SecretKey is the API key, sk_… or rk_… (with rights to PaymentIntents and refunds).
	SecretKey string
	// PublishableKey, pk_…, is handed to clients with a payment.
	PublishableKey string
	// WebhookSecret, whsec_…, is the signing secret of the webhook.
	WebhookSecret string
	// BaseURL is where the API is. Default https://api.stripe.com.
	BaseURL string
}

// Off says that nothing is set, so that there is no such channel.
func (c StripeConfig) Off() bool {
	return c.SecretKey == "" && c.PublishableKey == "" && c.WebhookSecret == ""
}

// checkKeys refuses keys in each other's place: clients are handed the publishable one.
func (c StripeConfig) checkKeys() error {
	var errs []error
	if strings.HasPrefix(c.SecretKey, "pk_") {
		errs = append(errs, errors.New("stripe config: secret key is a publishable one, pk_"))
	}
	if !strings.HasPrefix(c.PublishableKey, "pk_") {
		errs = append(errs, errors.New("stripe config: publishable key must begin with pk_"))
	}
	if !strings.HasPrefix(c.WebhookSecret, "whsec_") {
		errs = append(errs, errors.New("stripe config: webhook secret must begin with whsec_"))
	}
	return errors.Join(errs...)
}

// Stripe takes money by PaymentIntents. The intent's id stands for the money: an intent succeeds
// at most once.
type Stripe struct {
	cfg    StripeConfig
	client *stripe.Client
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

// stripeRefundsRead bounds how many refunds of one intent are looked through.
const stripeRefundsRead = 300

// NewStripe makes the channel. The official client logs nothing and repeats nothing by itself.
func NewStripe(cfg StripeConfig, now func() time.Time) (*Stripe, error) {
	setDefault(&cfg.BaseURL, stripe.APIURL)
	err := missing("stripe", setting{"secret key", cfg.SecretKey}, setting{"publishable key", cfg.PublishableKey}, setting{"webhook secret", cfg.WebhookSecret})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(cfg.checkKeys(), checkBaseURL("stripe config: base URL", cfg.BaseURL)); err != nil {
		return nil, err
	}
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		HTTPClient:        newGatewayClient(),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		MaxNetworkRetries: stripe.Int64(0),
		URL:               stripe.String(strings.TrimSuffix(cfg.BaseURL, "/")),
	})
	return &Stripe{cfg: cfg, client: stripe.NewClient(cfg.SecretKey, stripe.WithBackends(backends)), now: now}, nil
}

// Channel is stripe.
func (s *Stripe) Channel() string { return "stripe" }

// Acknowledge is any 200.
func (s *Stripe) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"received":true}`)
}

// Begin makes the payment's intent; repeated, it is the same one.
func (s *Stripe) Begin(ctx context.Context, p *Payment) (Next, error) {
	if p.Amount <= 0 {
		return Next{}, web.Errorf(web.CodeNotPayable, "There is nothing to pay.")
	}
	if err := checkStripeAmount(p); err != nil {
		return Next{}, err
	}
	params := &stripe.PaymentIntentCreateParams{
		Amount:                  stripe.Int64(p.Amount),
		Currency:                stripe.String(strings.ToLower(p.Currency)),
		AutomaticPaymentMethods: &stripe.PaymentIntentCreateAutomaticPaymentMethodsParams{Enabled: stripe.Bool(true)},
	}
	params.AddMetadata(stripePayNumber, p.Number.String())
	intent, err := firstUnusedKey("pay-"+p.Number.String(), 0, func(key string) (*stripe.PaymentIntent, bool, error) {
		params.SetIdempotencyKey(key)
		intent, err := s.client.V1PaymentIntents.Create(ctx, params)
		return intent, isReplay(err), err // of an intent whose answer was lost nobody has the secret
	})
	if e, ok := errors.AsType[*stripe.Error](err); ok && slices.Contains([]stripe.ErrorCode{stripe.ErrorCodeAmountTooSmall, stripe.ErrorCodeAmountTooLarge}, e.Code) {
		return Next{}, web.Invalid("channel", "does not take this amount (%s)", codeOnly(string(e.Code)))
	}
	if err != nil {
		return Next{}, stripeError("create intent", err)
	}
	if !ofPayment(intent, p.Number) || intent.Amount != p.Amount || !strings.EqualFold(string(intent.Currency), p.Currency) || intent.ClientSecret == "" {
		return Next{}, errors.New("stripe: create intent: the answer is of another payment")
	}
	return Next{Params: map[string]string{
		stripeClientSecret: intent.ClientSecret, stripePublishable: s.cfg.PublishableKey, stripeIntentID: intent.ID,
	}}, nil
}

// Verify checks Stripe-Signature. The library's own check of the age knows neither our clock nor
// times to come, so it is made here, on the same header.
func (s *Stripe) Verify(header http.Header, body []byte) (Notification, error) {
	signatures := header.Values("Stripe-Signature")
	if len(signatures) != 1 || len(body) > maxNotification {
		return Notification{}, ErrSignature
	}
	if err := s.checkSignedAt(signatures[0]); err != nil {
		return Notification{}, err
	}
	event, err := webhook.ConstructEventWithOptions(body, signatures[0], s.cfg.WebhookSecret,
		webhook.ConstructEventOptions{IgnoreTolerance: true, IgnoreAPIVersionMismatch: true}) // only fields that all versions have are read
	switch {
	case errors.Is(err, webhook.ErrNoValidSignature), errors.Is(err, webhook.ErrInvalidHeader), errors.Is(err, webhook.ErrNotSigned), errors.Is(err, webhook.ErrTooOld):
		return Notification{}, fmt.Errorf("%w: %w", ErrSignature, err)
	case err != nil:
		return Notification{}, errors.New("stripe: a signed notification can't be read")
	}
	if err := noKeyTwice(body); err != nil {
		return Notification{}, fmt.Errorf("stripe: %w", err)
	}
	if event.Type != stripe.EventTypePaymentIntentSucceeded || event.Account != "" || event.Data == nil {
		return Notification{}, ErrNotPayment // another event, or of an account that is connected to ours
	}
	return readStripeIntent(event.ID, event.Data.Raw)
}

// checkSignedAt finds the one time in the header.
func (s *Stripe) checkSignedAt(header string) error {
	var times []string
	for part := range strings.SplitSeq(header, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			times = append(times, text)
		}
	}
	if len(times) != 1 {
		return fmt.Errorf("%w: it has not one time", ErrSignature)
	}
	sec, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its time can't be read", ErrSignature)
	}
	return checkAge(s.now(), time.Unix(sec, 0))
}

func readStripeIntent(event string, raw json.RawMessage) (Notification, error) {
	var intent struct {
		ID       string            `json:"id"`
		Status   string            `json:"status"`
		Received int64             `json:"amount_received"`
		Currency string            `json:"currency"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &intent); err != nil {
		return Notification{}, errors.New("stripe: the intent of a notification can't be read")
	}
	text, ours := intent.Metadata[stripePayNumber]
	if !ours || intent.Status != string(stripe.PaymentIntentStatusSucceeded) {
		return Notification{}, ErrNotPayment // another program may use the same account
	}
	n, err := order.ParseNumber(text)
	if err != nil {
		return Notification{}, fmt.Errorf("stripe: pay number of a notification: %w", err)
	}
	if event == "" || intent.ID == "" || intent.Received <= 0 || intent.Currency == "" {
		return Notification{}, errors.New("stripe: a notification lacks its id, amount or currency")
	}
	return Notification{EventID: event, TransactionID: intent.ID, PayNumber: n, Amount: intent.Received, Currency: strings.ToUpper(intent.Currency)}, nil
}

// Query reads the intent.
func (s *Stripe) Query(ctx context.Context, p *Payment) (Found, error) {
	id, err := stripeIntentOf(p)
	if id == "" || err != nil {
		return Found{}, err
	}
	intent, err := s.retrieve(ctx, p, id)
	if err != nil || intent.Status != stripe.PaymentIntentStatusSucceeded {
		return Found{}, err
	}
	return Found{Paid: true, TransactionID: intent.ID, Amount: intent.AmountReceived, Currency: strings.ToUpper(string(intent.Currency))}, nil
}

func (s *Stripe) retrieve(ctx context.Context, p *Payment, id string) (*stripe.PaymentIntent, error) {
	intent, err := s.client.V1PaymentIntents.Retrieve(ctx, id, nil)
	if err != nil {
		return nil, stripeError("read intent", err)
	}
	if intent.ID != id || !ofPayment(intent, p.Number) {
		return nil, errors.New("stripe: read intent: the answer is of another payment")
	}
	return intent, nil
}

// Close cancels the intent. While the bank works on it, it can't be closed and is asked about
// later.
func (s *Stripe) Close(ctx context.Context, p *Payment) error {
	id, err := stripeIntentOf(p)
	if id == "" || err != nil {
		return err
	}
	_, err = s.client.V1PaymentIntents.Cancel(ctx, id, nil)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*stripe.Error](err); !ok || e.Code != stripe.ErrorCodePaymentIntentUnexpectedState {
		return stripeError("cancel intent", err)
	}
	intent, err := s.retrieve(ctx, p, id)
	switch {
	case err != nil:
		return err
	case intent.Status == stripe.PaymentIntentStatusSucceeded:
		return ErrPaid
	case intent.Status == stripe.PaymentIntentStatusCanceled:
		return nil
	}
	return fmt.Errorf("stripe: cancel intent: it is %s", codeOnly(string(intent.Status)))
}

// stripeIntentOf is the intent's id from what Begin answered. Without that answer no client has
// the secret without which nobody can pay, so there is nothing to ask about or to close.
func stripeIntentOf(p *Payment) (string, error) {
	if p.NextJSON == "" {
		return "", nil
	}
	var next Next
	if err := json.Unmarshal([]byte(p.NextJSON), &next); err != nil || next.Params[stripeIntentID] == "" {
		return "", fmt.Errorf("stripe: payment %s has no intent", p.Number)
	}
	return next.Params[stripeIntentID], nil
}

func ofPayment(intent *stripe.PaymentIntent, n order.Number) bool {
	return intent.Metadata[stripePayNumber] == n.String()
}
