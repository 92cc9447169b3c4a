package draw

import (
	"context"
	"fmt"
	"time"

	"onrush/modules/ids"
)

const (
	// lotPart is how many first digits of a lot name its part of the order. There are at most 4,096 parts, each with a
	// few hundred of a million entries.
	lotPart = 3
	// ranksFor is how old the counts of the parts may be. Once the entries are closed they don't change.
	ranksFor = 5 * time.Minute
	// rankWithin bounds a read of the counts: it reads a million keys of a busy server.
	rankWithin = 30 * time.Second
)

// ranks are how many entries for a sku come before a part of the order, by the first digits of its lots.
type ranks map[string]int64

// rank returns the place of an entry in the order, from 1. Buyers ask for their ranks all at once: the counts of the
// parts are shared, and each counts the entries of one part.
func (s *Service) rank(ctx context.Context, e *entry) (int64, error) {
	before, err := s.ranks.Get(ctx, ids.Join(e.Activity, e.SKU), ranksFor, func(ctx context.Context) (ranks, error) {
		return s.readRanks(ctx, e.Activity, e.SKU)
	})
	if err != nil {
		return 0, err
	}
	var in int64
	part := e.Lot[:lotPart]
	const query = `SELECT COUNT(*) FROM draw_entries WHERE activity_id = ? AND sku_id = ? AND lot >= ? AND lot <= ?`
	if err := s.DB.Read.GetContext(ctx, &in, query, e.Activity, e.SKU, part, e.Lot); err != nil {
		return 0, fmt.Errorf("count the entries before one of the draw of %s: %w", e.Activity, err)
	}
	return before[part] + in, nil
}

func (s *Service) readRanks(ctx context.Context, activity, sku string) (ranks, error) {
	var parts []struct {
		Part string `db:"part"`
		N    int64  `db:"n"`
	}
	query := fmt.Sprintf(`SELECT SUBSTR(lot, 1, %d) AS part, COUNT(*) AS n FROM draw_entries
		WHERE activity_id = ? AND sku_id = ? GROUP BY part ORDER BY part`, lotPart)
	if err := s.DB.Read.SelectContext(ctx, &parts, query, activity, sku); err != nil {
		return nil, fmt.Errorf("count the entries of the draw of %s: %w", activity, err)
	}
	before, sum := make(ranks, len(parts)), int64(0)
	for _, p := range parts {
		before[p.Part] = sum
		sum += p.N
	}
	return before, nil
}
