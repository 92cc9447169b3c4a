// Package attempts bounds how often a buyer may try to pay: whoever tests stolen cards begins payment after payment.
// Package pay bounds the payments of each order.
package attempts

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/problem"
)

const (
	// Most is how many payments that were not paid a buyer may begin within Span.
	Most = 60
	// Span is the time in which they are counted.
	Span = time.Hour
	// again is when a buyer who began too many may try again: some of them are older then.
	again = time.Minute
)

// Check refuses another payment of a buyer who has begun Most in the last Span that are not paid. Requests at the same
// time may together begin a few more.
func Check(ctx context.Context, q sqlx.QueryerContext, user string, at time.Time) error {
	var begun int
	// Numbers of payments begin with their times. The bound keeps the read small, whatever a buyer has begun.
	const query = `SELECT COUNT(*) FROM (SELECT status FROM payments WHERE user_id = ? AND pay_number >= ?
		ORDER BY pay_number DESC LIMIT ?) AS newest WHERE status IN ('pending', 'closed')`
	if err := sqlx.GetContext(ctx, q, &begun, query, user, order.FirstNumberAt(at.Add(-Span)), 10*Most); err != nil {
		return fmt.Errorf("count the payments of a buyer: %w", err)
	}
	if begun >= Most {
		return problem.Errorf(problem.CodeRateLimited, "Too many payments were begun and not paid; try again later.").
			After(again)
	}
	return nil
}
