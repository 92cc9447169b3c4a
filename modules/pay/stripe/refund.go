package stripe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// refundsRead bounds the refunds of one intent that are read.
const refundsRead = 300

// Refund pays back once per number. Stripe forgets idempotency keys after a day, but an operator may retry
// after a week, so Refund first searches for a refund with the number. A refund that failed stays failed at
// Stripe, and its money stays in our account: its number is used up.
func (g *Gateway) Refund(ctx context.Context, r *pay.Refund) error {
	list := &stripe.RefundListParams{PaymentIntent: stripe.String(r.Transaction)}
	list.Limit = stripe.Int64(100)
	read, failed := 0, error(nil)
	for had, err := range g.client.V1Refunds.List(ctx, list) {
		if err != nil {
			return apiError("list refunds", err)
		}
		if read++; read > refundsRead {
			return fmt.Errorf("stripe: intent %s has too many refunds", gateway.CodeOnly(r.Transaction))
		}
		if had.Metadata[refundNumber] != r.GatewayNumber() {
			continue
		}
		if !refundFailed(had.Status) {
			return refundState(had, r)
		}
		failed = refundState(had, r)
	}
	if failed != nil {
		return failed
	}
	params := &stripe.RefundCreateParams{Amount: stripe.Int64(r.Amount), PaymentIntent: stripe.String(r.Transaction)}
	params.AddMetadata(refundNumber, r.GatewayNumber())
	params.AddMetadata(payNumber, r.Payment.String())
	// A hyphen in the number could make keys equal to others that firstUnusedKey generates.
	made, err := firstUnusedKey("refund-"+strings.ReplaceAll(r.GatewayNumber(),
		"-", "r"), func(key string) (*stripe.Refund, bool, error) {
		params.SetIdempotencyKey(key)
		made, err := g.client.V1Refunds.Create(ctx, params)
		return made, isReplay(err), err // Stripe repeats its first answer to a key
	})
	if err != nil {
		return apiError("refund", err)
	}
	return refundState(made, r)
}

func refundFailed(status stripe.RefundStatus) bool {
	return status == stripe.RefundStatusFailed || status == stripe.RefundStatusCanceled
}

// refundState returns nil if the money was paid back, and otherwise the error for Refund. It also checks
// that the refund has this amount.
func refundState(had *stripe.Refund, r *pay.Refund) error {
	if had.ID == "" || had.Amount != r.Amount {
		return errors.New("stripe: refund: its number was used for another amount")
	}
	switch had.Status {
	case stripe.RefundStatusSucceeded:
		return nil
	case stripe.RefundStatusPending, stripe.RefundStatusRequiresAction:
		return fmt.Errorf("%w: stripe: it is %s", pay.ErrUnderWay, had.Status)
	case stripe.RefundStatusFailed, stripe.RefundStatusCanceled:
		return fmt.Errorf("stripe: refund: %w: it is %s, %s",
			pay.ErrRefundFailed, had.Status, gateway.CodeOnly(string(had.FailureReason)))
	}
	return fmt.Errorf("stripe: refund: it is %s", gateway.CodeOnly(string(had.Status)))
}
