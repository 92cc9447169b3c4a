package catalogue

import "onrush/web/problem"

// MaxAmount bounds every amount in minor units, and whatever else is a number in JSON: up to it
// clients that read numbers as doubles read each as it is.
const MaxAmount = 1<<53 - 1

// Amount is price times quantity in minor units; above MaxAmount it is invalid_request.
func Amount(price, quantity int64) (int64, error) {
	if price < 0 || quantity < 0 || quantity > 0 && price > MaxAmount/quantity {
		return 0, ErrAmount("quantity")
	}
	return price * quantity, nil
}

// Total adds up two amounts; above MaxAmount it is invalid_request.
func Total(a, b int64) (int64, error) {
	if a > MaxAmount-b {
		return 0, ErrAmount("quantity")
	}
	return a + b, nil
}

// ErrAmount is the invalid_request error of a field that makes an amount too large.
func ErrAmount(field string) error {
	return problem.Invalid(field, "comes to an amount above %d", int64(MaxAmount))
}
