package catalogue

import "onrush/modules/problem"

// MaxAmount bounds every amount in minor units, and every other number in JSON: up to it, clients that
// read numbers as doubles read them exactly.
const MaxAmount = 1<<53 - 1

// Amount returns price times quantity in minor units; a result above MaxAmount is invalid_request.
func Amount(price, quantity int64) (int64, error) {
	if price < 0 || quantity < 0 || quantity > 0 && price > MaxAmount/quantity {
		return 0, ErrAmount("quantity")
	}
	return price * quantity, nil
}

// Total returns the sum of two amounts; a result above MaxAmount is invalid_request.
func Total(a, b int64) (int64, error) {
	if a > MaxAmount-b {
		return 0, ErrAmount("quantity")
	}
	return a + b, nil
}

// ErrAmount returns the invalid_request error for a field that makes an amount too large.
func ErrAmount(field string) *problem.Error {
	return problem.Invalid(field, "makes an amount above %d", int64(MaxAmount))
}
