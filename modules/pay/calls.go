package pay

import (
	"context"
	"errors"
	"time"

	"onrush/modules/pay/counts"
)

// called counts a call of a gateway that began at a time and ended with err.
func called(c *counts.Counts, channel string, op counts.Operation, began time.Time, err error) {
	answered := counts.Yes
	switch {
	case errors.Is(err, ErrResting):
		answered = counts.Resting
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		answered = counts.No
	}
	c.Called(channel, op, answered, time.Since(began))
}
