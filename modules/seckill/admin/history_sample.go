package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onrush/modules/api"
	ordercounts "onrush/modules/order/counts"
	"onrush/modules/sqldb"
)

// sampledSale is a sale that is sampled.
type sampledSale struct {
	ID       string `db:"activity_id"`
	Lane     int    `db:"lane"`
	StartsMS int64  `db:"starts_ms"`
	EndsMS   int64  `db:"ends_ms"`
}

// RunOnce samples the published sales that run, start within a minute or ended less than ten minutes ago; if these are
// more than 100, it samples the 100 that start last. It returns how many sales got a point. A point has the figures of
// the stores that answered; if none answered, there is no point. While another sample is being taken, RunOnce takes
// none.
//
// While SQL is unavailable, the sales that were read last are sampled.
func (h *History) RunOnce(ctx context.Context) (sampled int, err error) {
	if !h.sampling.TryLock() {
		return 0, nil
	}
	defer h.sampling.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sampleWithin)
	defer cancel()
	now := h.clock.NowMS()
	stored, sqlErr := h.fromSQL(ctx, now)
	live, redisErr := h.fromRedis(ctx)
	points := make(map[string]HistoryPoint, len(h.sales))
	for _, s := range h.sales {
		p := HistoryPoint{At: api.Millis(now), StoredFigures: stored[s.ID], LiveFigures: live[s.ID]}
		if p.StoredFigures != nil || p.LiveFigures != nil {
			points[s.ID] = p
		}
	}
	h.keep(now, points)
	return len(points), errors.Join(sqlErr, redisErr)
}

// fromSQL selects the sales to sample and reads their figures, with two statements, and a third one if there are new
// sales.
func (h *History) fromSQL(ctx context.Context, nowMS int64) (map[string]*StoredFigures, error) {
	ctx, cancel := context.WithTimeout(ctx, sqlStatsWithin)
	defer cancel()
	startsBefore, endsAfter := nowMS+sampledBefore.Milliseconds(), nowMS-sampledAfter.Milliseconds()
	const query = `SELECT activity_id, lane, starts_ms, ends_ms FROM activities
		WHERE state = 'published' AND starts_ms <= ? AND ends_ms > ? ORDER BY starts_ms DESC, activity_id DESC LIMIT ?`
	var sales []sampledSale
	if err := h.db.Read.SelectContext(ctx, &sales, query, startsBefore, endsAfter, maxSampled); err != nil {
		h.sales = slices.DeleteFunc(h.sales, func(s sampledSale) bool {
			return s.StartsMS > startsBefore || s.EndsMS <= endsAfter
		})
		return nil, fmt.Errorf("select the sales to sample: %w", err)
	}
	h.sales = sales
	ids := make([]string, len(sales))
	for i, s := range sales {
		ids[i] = s.ID
	}
	counts, err := ordercounts.StatusesOf(ctx, h.db.Read, ids)
	if err != nil {
		return nil, err
	}
	figures := make(map[string]*StoredFigures, len(sales))
	for _, id := range ids {
		c := counts[id]
		figures[id] = &StoredFigures{Unpaid: c.Unpaid, Paid: c.Paid, Cancelled: c.Cancelled}
	}
	return figures, h.readSKUs(ctx, ids)
}

// readSKUs reads the skus of the sales in ids that h.skus lacks, and forgets the skus of all other sales. It reads each
// sale once: a published sale keeps its skus.
func (h *History) readSKUs(ctx context.Context, ids []string) error {
	known := make(map[string][]string, len(ids))
	var unknown []string
	for _, id := range ids {
		if skus, ok := h.skus[id]; ok {
			known[id] = skus
		} else {
			unknown = append(unknown, id)
		}
	}
	h.skus = known
	if len(unknown) == 0 {
		return nil
	}
	var rows []struct {
		Activity string `db:"activity_id"`
		SKU      string `db:"sku_id"`
	}
	query := `SELECT activity_id, sku_id FROM activity_skus WHERE activity_id IN (` + sqldb.In(len(unknown)) + `)`
	if err := h.db.Read.SelectContext(ctx, &rows, query, sqldb.Args(unknown)...); err != nil {
		return fmt.Errorf("select the skus of %d sampled sales: %w", len(unknown), err)
	}
	for _, row := range rows {
		known[row.Activity] = append(known[row.Activity], row.SKU)
	}
	return nil
}
