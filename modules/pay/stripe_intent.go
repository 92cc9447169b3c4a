package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/order"
	"onrush/web"
)

// Begin makes the payment's intent; repeated, it is the same one.
func (s *Stripe) Begin(ctx context.Context, p *Payment) (Next, error) {
	if p.Amount <= 0 {
		return Next{}, web.Errorf(web.CodeNotPayable, "There is nothing to pay.")
	}
	if err := checkStripeAmount(p); err != nil {
		return Next{}, err
	}
	params := &stripe.PaymentIntentCreateParams{
		Amount:             stripe.Int64(p.Amount),
		Currency:           stripe.String(strings.ToLower(p.Currency)),
		PaymentMethodTypes: stripe.StringSlice(s.cfg.Methods),
	}
	params.AddMetadata(stripePayNumber, p.Number.String())
	intent, err := firstUnusedKey("pay-"+p.Number.String(), func(key string) (*stripe.PaymentIntent, bool, error) {
		params.SetIdempotencyKey(key)
		intent, err := s.client.V1PaymentIntents.Create(ctx, params)
		return intent, isReplay(err) || isOtherRequest(err), err // of an intent whose answer was lost nobody has the secret
	})
	if e, ok := errors.AsType[*stripe.Error](err); ok && slices.Contains([]stripe.ErrorCode{stripe.ErrorCodeAmountTooSmall, stripe.ErrorCodeAmountTooLarge}, e.Code) {
		return Next{}, web.Invalid("channel", "does not take this amount (%s)", codeOnly(string(e.Code)))
	}
	if err != nil {
		return Next{}, stripeError("create intent", err)
	}
	if !s.ofPayment(intent, p.Number) || intent.Amount != p.Amount || !strings.EqualFold(string(intent.Currency), p.Currency) || intent.ClientSecret == "" {
		return Next{}, errors.New("stripe: create intent: the answer is of another payment")
	}
	return Next{Params: map[string]string{
		stripeClientSecret: intent.ClientSecret, stripePublishable: s.cfg.PublishableKey, stripeIntentID: intent.ID,
	}}, nil
}

// Query reads the intent.
func (s *Stripe) Query(ctx context.Context, p *Payment) (Found, error) {
	id, err := stripeIntentOf(p)
	if id == "" || err != nil {
		return Found{}, err
	}
	intent, err := s.retrieve(ctx, p, id)
	switch {
	case err != nil:
		return Found{}, err
	case intent.Status != stripe.PaymentIntentStatusSucceeded:
		return Found{Closed: intent.Status == stripe.PaymentIntentStatusCanceled}, nil
	case intent.LatestCharge != nil && intent.LatestCharge.AmountRefunded > 0:
		return Found{}, fmt.Errorf("stripe: payment %s: %w", p.Number, ErrRefundedOutside)
	}
	return Found{Paid: true, TransactionID: intent.ID, Amount: intent.AmountReceived, Currency: strings.ToUpper(string(intent.Currency))}, nil
}

func (s *Stripe) retrieve(ctx context.Context, p *Payment, id string) (*stripe.PaymentIntent, error) {
	params := &stripe.PaymentIntentRetrieveParams{}
	params.AddExpand("latest_charge")
	intent, err := s.client.V1PaymentIntents.Retrieve(ctx, id, params)
	if err != nil {
		return nil, stripeError("read intent", err)
	}
	if intent.ID != id || !s.ofPayment(intent, p.Number) {
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

func (s *Stripe) ofPayment(intent *stripe.PaymentIntent, n order.Number) bool {
	return intent.Livemode == s.live && intent.Metadata[stripePayNumber] == n.String()
}
