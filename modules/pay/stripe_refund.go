package pay

import (
	"context"
	"errors"
	"fmt"

	"github.com/stripe/stripe-go/v84"
)

// Refund pays back once per refund number. Stripe forgets idempotency keys after a day, and an
// operator may retry after a week; so it looks first for a refund that carries the number. One
// that failed at Stripe stays failed there, its money in our account. If we took it to be under way,
// its failure is told first; else it is made anew, under a key that is not used up.
func (s *Stripe) Refund(ctx context.Context, r *Refund) error {
	list := &stripe.RefundListParams{PaymentIntent: stripe.String(r.Transaction)}
	list.Limit = stripe.Int64(100)
	failed, read, reason := map[string]bool{}, 0, error(nil)
	for had, err := range s.client.V1Refunds.List(ctx, list) {
		if err != nil {
			return stripeError("list refunds", err)
		}
		if read++; read > stripeRefundsRead {
			return fmt.Errorf("stripe: intent %s has too many refunds", codeOnly(r.Transaction))
		}
		if had.Metadata[stripeRefundNumber] != r.Number.String() {
			continue
		}
		if !refundFailed(had) {
			return refundState(had, r)
		}
		failed[had.ID] = true
		if reason == nil { // the newest comes first
			reason = refundState(had, r)
		}
	}
	if r.UnderWayMS != 0 && reason != nil {
		return reason
	}
	params := &stripe.RefundCreateParams{Amount: stripe.Int64(r.Amount), PaymentIntent: stripe.String(r.Transaction)}
	params.AddMetadata(stripeRefundNumber, r.Number.String())
	params.AddMetadata(stripePayNumber, r.Payment.String())
	made, err := firstUnusedKey("refund-"+r.Number.String(), len(failed), func(key string) (*stripe.Refund, bool, error) {
		params.SetIdempotencyKey(key)
		made, err := s.client.V1Refunds.Create(ctx, params)
		return made, isReplay(err) || err == nil && failed[made.ID], err // the answer to a key stays as it was at first
	})
	if err != nil {
		return stripeError("refund", err)
	}
	return refundState(made, r)
}

func refundFailed(r *stripe.Refund) bool {
	return r.Status == stripe.RefundStatusFailed || r.Status == stripe.RefundStatusCanceled
}

// refundState is nil for money that is back. It makes sure that the number stands for this amount.
func refundState(had *stripe.Refund, r *Refund) error {
	if had.ID == "" || had.Amount != r.Amount {
		return errors.New("stripe: refund: its number stands for another amount")
	}
	switch had.Status {
	case stripe.RefundStatusSucceeded:
		return nil
	case stripe.RefundStatusPending, stripe.RefundStatusRequiresAction:
		return fmt.Errorf("%w: stripe: it is %s", ErrUnderWay, had.Status)
	case stripe.RefundStatusFailed, stripe.RefundStatusCanceled:
	}
	return fmt.Errorf("stripe: refund: it is %s, %s", codeOnly(string(had.Status)), codeOnly(string(had.FailureReason)))
}
