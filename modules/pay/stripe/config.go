package stripe

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"onrush/modules/pay/gateway"
)

// Config configures the channel stripe. The webhook's endpoint must listen to
// payment_intent.succeeded, refund.created, refund.updated, refund.failed and charge.dispute.*, in
// version 2024-10-28 of the API or a later one.
type Config struct {
	// SecretKey is the API key: sk_live_…, sk_test_…, or rk_… (with rights to PaymentIntents and
	// refunds).
	SecretKey string `help:"Stripe secret key, sk_live_…, sk_test_… or rk_…." env:"SECRET_KEY" log:"digest"`
	// PublishableKey, pk_live_… or pk_test_… as the secret key is, is sent to clients with a payment.
	PublishableKey string `help:"Stripe publishable key, pk_live_… or pk_test_…." env:"PUBLISHABLE_KEY"`
	// Methods are the payment methods that buyers are offered, as Stripe names them. Methods whose money
	// takes days are refused. Default card, with the wallets that use cards.
	Methods []string `help:"Payment methods, as Stripe names them. Default: card and its wallets." env:"METHODS"`
	// WebhookSecret, whsec_…, is the signing secret of the webhook. Several, separated by semicolons, are all accepted
	// while it is changed, or if several endpoints of the account are sent here.
	WebhookSecret string `help:"Secrets of the Stripe webhook: whsec_…;whsec_…" env:"WEBHOOK_SECRET" log:"digest"`
	// BaseURL is the address of the API. Default https://api.stripe.com.
	BaseURL string `kong:"-"`
}

// Off reports whether nothing is set, so that the channel is off.
func (c Config) Off() bool {
	return c.SecretKey == "" && c.PublishableKey == "" && c.WebhookSecret == ""
}

// Test reports whether the keys are of Stripe's test mode, in which no money moves.
func (c Config) Test() bool { return mode(c.SecretKey) == testMode }

// The modes of keys, as their prefixes name them.
const (
	liveMode = "live"
	testMode = "test"
)

// mode returns the mode of a key, or "" if its prefix names none.
func mode(key string) string {
	parts := strings.SplitN(key, "_", 3)
	if len(parts) == 3 && (parts[1] == liveMode || parts[1] == testMode) {
		return parts[1]
	}
	return ""
}

// maxSecrets bounds how many secrets of the webhook are accepted at once.
const maxSecrets = 8

func (c Config) webhookSecrets() (secrets []string) {
	for secret := range strings.SplitSeq(c.WebhookSecret, ";") {
		if secret = strings.TrimSpace(secret); secret != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// What Stripe's keys and secrets look like. Others would be refused at each payment or notification.
var (
	secretKeys      = regexp.MustCompile(`^[sr]k_(live|test)_[0-9A-Za-z_]+$`)
	publishableKeys = regexp.MustCompile(`^pk_(live|test)_[0-9A-Za-z_]+$`)
	webhookSecrets  = regexp.MustCompile(`^whsec_[0-9A-Za-z+/=_-]+$`)
)

// checkKeys refuses swapped keys, since the publishable one is sent to clients, and keys of different
// modes.
func (c Config) checkKeys() error {
	var errs []error
	if !secretKeys.MatchString(c.SecretKey) {
		errs = append(errs,
			errors.New("stripe config: secret key must begin with sk_live_, sk_test_, rk_live_ or rk_test_"))
	}
	if !publishableKeys.MatchString(c.PublishableKey) {
		errs = append(errs, errors.New("stripe config: publishable key must begin with pk_live_ or pk_test_"))
	}
	secrets := c.webhookSecrets()
	if len(secrets) == 0 || len(secrets) > maxSecrets ||
		slices.ContainsFunc(secrets, func(s string) bool { return !webhookSecrets.MatchString(s) }) {
		errs = append(errs, fmt.Errorf("stripe config: webhook secret must be 1 to %d, separated by semicolons: each "+
			"begins with whsec_, and letters, digits, + / = _ and - follow", maxSecrets))
	}
	if len(errs) == 0 && mode(c.SecretKey) != mode(c.PublishableKey) {
		errs = append(errs, errors.New("stripe config: one key is of live mode, the other of test mode"))
	}
	return errors.Join(errs...)
}

// slow are the payment methods whose money arrives after hours or days, or after the buyer has visited a
// shop or a bank (delayed notification methods in Stripe's documents). Orders wait only for minutes.
var slow = []string{
	"acss_debit", "au_becs_debit", "bacs_debit", "boleto", "customer_balance", "konbini", "multibanco",
	"nz_bank_account", "oxxo", "payto", "sepa_debit", "sofort", "us_bank_account",
}

func (c Config) checkMethods() error {
	for _, method := range c.Methods {
		if method == "" || method != gateway.CodeOnly(method) {
			return errors.New("stripe config: methods must be names as Stripe writes them, such as card")
		}
		if slices.Contains(slow, method) {
			return fmt.Errorf("stripe config: method %s takes hours or days, and an order waits for minutes", method)
		}
	}
	return nil
}
