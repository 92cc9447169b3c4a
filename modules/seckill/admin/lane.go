package admin

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// leastBusyLane returns the lane with the fewest running and upcoming sales.
func leastBusyLane(ctx context.Context, q sqlx.QueryerContext, lanes int, nowMS int64) (int, error) {
	var rows []struct {
		Lane int `db:"lane"`
		N    int `db:"n"`
	}
	const query = `SELECT lane, COUNT(*) AS n FROM activities WHERE state = 'published' AND ends_ms > ? GROUP BY lane`
	if err := sqlx.SelectContext(ctx, q, &rows, query, nowMS); err != nil {
		return 0, fmt.Errorf("count activities by lane: %w", err)
	}
	busy := make(map[int]int, len(rows))
	for _, r := range rows {
		busy[r.Lane] = r.N
	}
	best := 1
	for lane := 2; lane <= lanes; lane++ {
		if busy[lane] < busy[best] {
			best = lane
		}
	}
	return best, nil
}
