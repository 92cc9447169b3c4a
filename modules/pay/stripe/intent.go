package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
)

// Begin creates the payment's intent; a repeated call returns the same one. Stripe takes a return_url only when a
// payment is confirmed, which its form does in the browser: so the client gets it with the parameters of the form.
func (g *Gateway) Begin(ctx context.Context, p *pay.Payment) (pay.Next, error) {
	if p.Amount <= 0 {
		return pay.Next{}, problem.Errorf(pay.CodeNotPayable, "There is nothing to pay.")
	}
	if err := checkAmount(p); err != nil {
		return pay.Next{}, err
	}
	params := &stripe.PaymentIntentCreateParams{
		Amount:             stripe.Int64(p.Amount),
		Currency:           stripe.String(strings.ToLower(p.Currency)),
		PaymentMethodTypes: stripe.StringSlice(g.cfg.Methods),
	}
	params.AddMetadata(payNumber, p.Number.String())
	intent, err := firstUnusedKey("pay-"+p.Number.String(), func(key string) (*stripe.PaymentIntent, bool, error) {
		params.SetIdempotencyKey(key)
		intent, err := g.client.V1PaymentIntents.Create(ctx, params)
		// Nobody has the secret of an intent whose answer was lost.
		return intent, isReplay(err) || isOtherRequest(err), err
	})
	if e, ok := errors.AsType[*stripe.Error](err); ok &&
		slices.Contains([]stripe.ErrorCode{stripe.ErrorCodeAmountTooSmall, stripe.ErrorCodeAmountTooLarge}, e.Code) {
		return pay.Next{}, problem.Invalid("channel", "does not take this amount (%s)",
			gateway.CodeOnly(string(e.Code)))
	}
	if err != nil {
		return pay.Next{}, apiError("create intent", err)
	}
	if !g.ofPayment(intent, p.Number) || intent.Amount != p.Amount ||
		!strings.EqualFold(string(intent.Currency), p.Currency) || intent.ClientSecret == "" {
		return pay.Next{}, errors.New("stripe: create intent: the answer is of another payment")
	}
	form := map[string]string{
		clientSecret: intent.ClientSecret, publishable: g.cfg.PublishableKey, intentID: intent.ID,
	}
	if p.ReturnURL != "" {
		form[returnURL] = p.ReturnURL
	}
	return pay.Next{Params: form}, nil
}

// Query reads the intent.
func (g *Gateway) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	id, err := intentOf(p)
	if id == "" || err != nil {
		return pay.Found{}, err
	}
	intent, err := g.retrieve(ctx, p, id)
	switch {
	case err != nil:
		return pay.Found{}, err
	case intent.Status != stripe.PaymentIntentStatusSucceeded:
		return pay.Found{Closed: intent.Status == stripe.PaymentIntentStatusCanceled}, nil
	case intent.LatestCharge != nil && intent.LatestCharge.AmountRefunded > 0:
		return pay.Found{}, fmt.Errorf("stripe: payment %s: %w", p.Number, pay.ErrRefundedOutside)
	}
	return pay.Found{
		Paid: true, TransactionID: intent.ID, Amount: intent.AmountReceived,
		Currency: strings.ToUpper(string(intent.Currency)),
	}, nil
}

// noIntent is an id that no intent has.
const noIntent = "pi_0"

// Probe reads an intent that doesn't exist. An error says that Stripe can't be reached, or refuses the secret key.
func (g *Gateway) Probe(ctx context.Context) error {
	_, err := g.client.V1PaymentIntents.Retrieve(ctx, noIntent, nil)
	if e, ok := errors.AsType[*stripe.Error](err); ok && e.Code == stripe.ErrorCodeResourceMissing {
		return nil
	}
	if err == nil {
		return errors.New("stripe: probe: there is an intent of that id")
	}
	return apiError("probe", err)
}

func (g *Gateway) retrieve(ctx context.Context, p *pay.Payment, id string) (*stripe.PaymentIntent, error) {
	params := &stripe.PaymentIntentRetrieveParams{}
	params.AddExpand("latest_charge")
	intent, err := g.client.V1PaymentIntents.Retrieve(ctx, id, params)
	if err != nil {
		return nil, apiError("read intent", err)
	}
	if intent.ID != id || !g.ofPayment(intent, p.Number) {
		return nil, errors.New("stripe: read intent: the answer is of another payment")
	}
	return intent, nil
}

// Close cancels the intent. While the bank processes it, it can't be cancelled; the error makes the caller
// try again later.
func (g *Gateway) Close(ctx context.Context, p *pay.Payment) error {
	id, err := intentOf(p)
	if id == "" || err != nil {
		return err
	}
	_, err = g.client.V1PaymentIntents.Cancel(ctx, id, nil)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*stripe.Error](err); !ok || e.Code != stripe.ErrorCodePaymentIntentUnexpectedState {
		return apiError("cancel intent", err)
	}
	intent, err := g.retrieve(ctx, p, id)
	switch {
	case err != nil:
		return err
	case intent.Status == stripe.PaymentIntentStatusSucceeded:
		return pay.ErrPaid
	case intent.Status == stripe.PaymentIntentStatusCanceled:
		return nil
	}
	return fmt.Errorf("stripe: cancel intent: it is %s", gateway.CodeOnly(string(intent.Status)))
}

// intentOf returns the intent's id from the stored answer of Begin. Without that answer no client has the
// secret that is needed to pay, so there is nothing to query or to close.
func intentOf(p *pay.Payment) (string, error) {
	if p.NextJSON == "" {
		return "", nil
	}
	var next pay.Next
	if err := json.Unmarshal([]byte(p.NextJSON), &next); err != nil || next.Params[intentID] == "" {
		return "", fmt.Errorf("stripe: payment %s has no intent", p.Number)
	}
	return next.Params[intentID], nil
}

func (g *Gateway) ofPayment(intent *stripe.PaymentIntent, n order.Number) bool {
	return intent.Livemode == g.live && intent.Metadata[payNumber] == n.String()
}
