// Package counts reads how many stored orders have each status, and how much is still pending between SQL and Redis.
package counts

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// ByStatus is the number of stored orders of an activity by status.
type ByStatus struct {
	Unpaid    int64 `db:"unpaid"`
	Paid      int64 `db:"paid"`
	Cancelled int64 `db:"cancelled"`
	Refunded  int64 `db:"refunded"`
	Failed    int64 `db:"failed"`
}

// All returns the number of orders.
func (c ByStatus) All() int64 {
	return c.Unpaid + c.Paid + c.Cancelled + c.Refunded + c.Failed
}

// Statuses reads the counts of an activity.
func Statuses(ctx context.Context, q sqlx.QueryerContext, activity string) (c ByStatus, err error) {
	const query = `SELECT COALESCE(SUM(unpaid), 0) AS unpaid, COALESCE(SUM(paid), 0) AS paid,
		COALESCE(SUM(cancelled), 0) AS cancelled, COALESCE(SUM(refunded), 0) AS refunded,
		COALESCE(SUM(failed), 0) AS failed FROM activity_statuses WHERE activity_id = ?`
	if err := sqlx.GetContext(ctx, q, &c, query, activity); err != nil {
		return c, fmt.Errorf("select counts of activity %s: %w", activity, err)
	}
	return c, nil
}

// StatusesOf reads the counts of several activities with one statement. Activities without counts are left out.
func StatusesOf(
	ctx context.Context, q sqlx.QueryerContext, activities []string,
) (map[string]ByStatus, error) {
	if len(activities) == 0 {
		return nil, nil
	}
	query := `SELECT activity_id, SUM(unpaid) AS unpaid, SUM(paid) AS paid, SUM(cancelled) AS cancelled,
		SUM(refunded) AS refunded, SUM(failed) AS failed FROM activity_statuses WHERE activity_id IN (` +
		sqldb.In(len(activities)) + `) GROUP BY activity_id`
	var rows []struct {
		Activity string `db:"activity_id"`
		ByStatus
	}
	if err := sqlx.SelectContext(ctx, q, &rows, query, sqldb.Args(activities)...); err != nil {
		return nil, fmt.Errorf("select counts of %d activities: %w", len(activities), err)
	}
	counts := make(map[string]ByStatus, len(rows))
	for _, row := range rows {
		counts[row.Activity] = row.ByStatus
	}
	return counts, nil
}
