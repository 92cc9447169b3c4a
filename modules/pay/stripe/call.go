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
	"onrush/web/problem"
)

// keys bounds how many idempotency keys one call tries.
const keys = 40

// firstUnusedKey calls create with one idempotency key of a name after the other, until it says that
// a key is not used up. Stripe keeps the first answer to a key for a day,
// errors as well, and asking again with that key does nothing. The keys come in the same order every
// time and on all instances, so that one whose answer was lost is asked again before any later one.
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
	return none, errors.Join(err, fmt.Errorf("%w: too many of its errors are kept", pay.ErrUnavailable))
}

// isReplay says that an error is what Stripe kept of the first request with the key.
func isReplay(err error) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.LastResponse != nil && e.LastResponse.Header.Get("Idempotent-Replayed") == "true"
}

// isOtherRequest says that a key was used before with other parameters, as happens where the payment
// methods were changed in between.
func isOtherRequest(err error) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.Type == stripe.ErrorTypeIdempotency && e.HTTPStatusCode == http.StatusBadRequest
}

// checkAmount refuses what Stripe counts otherwise than ISO 4217, in whose minor units amounts
// are kept (https://docs.stripe.com/currencies, minor units and special cases).
func checkAmount(p *pay.Payment) error {
	switch {
	case slices.Contains([]string{"ISK", "UGX"}, p.Currency), // hundredths there, whole units in the norm
		p.Currency == "MGA", // the other way round
		slices.Contains([]string{"IQD", "LYD"}, p.Currency): // thousandths in the norm, not among Stripe's
		return problem.Invalid("channel", "does not take %s", p.Currency)
	case !slices.Contains([]string{"BHD", "JOD", "KWD", "OMR", "TND"}, p.Currency):
		return nil
	}
	tens := p.Amount%10 == 0
	for _, part := range p.Orders { // each may be refunded by itself
		tens = tens && part.Amount%10 == 0
	}
	if !tens {
		return problem.Invalid("channel", "takes %s only in hundredths: the last digit of each order's amount must be 0", p.Currency)
	}
	return nil
}

// apiError keeps of an error what may be logged: the library's own text can hold the client's
// secret or a part of the answer. It is ErrUnavailable but where Stripe decided something; a conflict says that
// the same call is still at work.
func apiError(doing string, err error) error {
	if e, ok := errors.AsType[*stripe.Error](err); ok {
		said := fmt.Errorf("status %d, %s, %s, request %s", e.HTTPStatusCode, gateway.CodeOnly(string(e.Type)), gateway.CodeOnly(string(e.Code)), gateway.CodeOnly(e.RequestID))
		if gateway.InTrouble(e.HTTPStatusCode) || e.HTTPStatusCode == http.StatusConflict || errors.Is(err, pay.ErrUnavailable) {
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
