package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stripe/stripe-go/v84"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
)

// keys is the maximum number of idempotency keys that one call tries.
const keys = 40

// firstUnusedKey calls create with the idempotency keys of a name in order, until create reports that a
// key is not used up. Stripe stores the first answer to a key for a day, even an error, and returns it to
// later requests with that key. The order of keys is the same in every call and on all instances, so that
// a key whose answer was lost is tried before any later one.
func firstUnusedKey[T any](name string, create func(key string) (made T, used bool, err error)) (made T, err error) {
	for i := range keys {
		key := name
		if i > 0 {
			key = fmt.Sprintf("%s-%d", name, i)
		}
		var used bool
		if made, used, err = create(key); !used {
			return made, err
		}
	}
	var none T
	return none, errors.Join(err, fmt.Errorf("%w: all idempotency keys are used up", pay.ErrUnavailable))
}

// isReplay reports whether an error is Stripe's stored answer to the first request with the key.
func isReplay(err error) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.LastResponse != nil && e.LastResponse.Header.Get("Idempotent-Replayed") == "true"
}

// isOtherRequest reports whether a key was used before with other parameters, for example because the
// payment methods in the configuration have changed.
func isOtherRequest(err error) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.Type == stripe.ErrorTypeIdempotency && e.HTTPStatusCode == http.StatusBadRequest
}

// checkAmount refuses currencies whose minor units at Stripe differ from ISO 4217, in which amounts are
// stored (https://docs.stripe.com/currencies, minor units and special cases).
func checkAmount(p *pay.Payment) error {
	switch {
	case slices.Contains([]string{"ISK", "UGX"}, p.Currency), // hundredths at Stripe, whole units in ISO 4217
		p.Currency == "MGA", // the other way round
		slices.Contains([]string{"IQD", "LYD"}, p.Currency): // thousandths in ISO 4217, not at Stripe
		return problem.Invalid("channel", "does not take %s", p.Currency)
	case !isThousandths(p.Currency):
		return nil
	}
	tens := p.Amount%10 == 0
	for _, part := range p.Orders { // each may be refunded separately
		tens = tens && part.Amount%10 == 0
	}
	if !tens {
		return problem.Invalid("channel",
			"takes %s only in hundredths: the last digit of each order's amount must be 0", p.Currency)
	}
	return nil
}

// isThousandths reports whether Stripe takes amounts of a currency in thousandths, of which the last digit must be 0.
func isThousandths(currency string) bool {
	return slices.Contains([]string{"BHD", "JOD", "KWD", "OMR", "TND"}, currency)
}

// CheckRefund refuses parts of a hundredth of the currencies that have three decimals: Stripe makes no such refund.
func (g *Gateway) CheckRefund(currency string, amount int64) error {
	if isThousandths(currency) && amount%10 != 0 {
		return problem.Invalid("amount", "must end in 0: Stripe refunds %s only in hundredths", currency)
	}
	return nil
}

// apiError returns the parts of an error that may be logged: the library's text may contain the client
// secret or a part of the answer. The result wraps ErrUnavailable unless Stripe decided something; after
// a conflict the same call is still in progress.
func apiError(doing string, err error) error {
	if e, ok := errors.AsType[*stripe.Error](err); ok {
		said := fmt.Errorf("status %d, %s, %s, request %s", e.HTTPStatusCode, gateway.CodeOnly(string(e.Type)),
			gateway.CodeOnly(string(e.Code)), gateway.CodeOnly(e.RequestID))
		if gateway.InTrouble(e.HTTPStatusCode) || e.HTTPStatusCode == http.StatusConflict ||
			errors.Is(err, pay.ErrUnavailable) {
			return fmt.Errorf("stripe: %s: %w: %w", doing, pay.ErrUnavailable, said)
		}
		if e.Code == stripe.ErrorCodeBalanceInsufficient {
			return fmt.Errorf("stripe: %s: %w: %w", doing, pay.ErrNoBalance, said)
		}
		return fmt.Errorf("stripe: %s: %w", doing, said)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("stripe: %s: %w: %w", doing, pay.ErrUnavailable, e)
	}
	return fmt.Errorf("stripe: %s: %w: the answer can't be read", doing, pay.ErrUnavailable)
}
