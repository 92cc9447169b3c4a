package waitlist

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/ids"
	"onrush/modules/sqldb"
)

// MaxWaiting bounds the entries that wait for units of a sku at a point.
const MaxWaiting = 10_000

// places are the places of the entries that wait for the same units.
type places struct {
	of   map[string]int64 // by entry, from 1
	last Entry            // its id and time only
}

// find returns the place of an entry. For an entry that joined after the copy was read, it counts only the entries that
// joined since, not all of them, since a crowd joins at once.
func (p *places) find(ctx context.Context, q sqlx.QueryerContext, e *Entry) (place int64, err error) {
	if place := p.of[e.ID]; place > 0 {
		return place, nil
	}
	behind, ahead := &p.last, int64(len(p.of))
	if !e.behind(behind) { // an instance whose clock is a little behind has inserted it
		behind, ahead = &Entry{}, 0
	}
	n, err := countUpTo(ctx, q, e, behind)
	return max(ahead+n, 1), err
}

// placeCache has the places, at most a second old, so that a crowd that looks at them costs SQL one read a second.
type placeCache struct{ copies *aged.Keyed[places] }

func newPlaceCache(db *sqldb.DB, now func() time.Time) placeCache {
	return placeCache{aged.NewKeyed("waiting lists", now, func(
		ctx context.Context, keys []string,
	) (map[string]places, error) {
		found := make(map[string]places, len(keys))
		for _, key := range keys {
			of, ok := ids.Split(key, 3)
			if !ok {
				continue
			}
			var entries []Entry
			const query = `SELECT entry_id, joined_ms FROM waitlist WHERE activity_id = ? AND until_ms = 0
				AND sku_id = ? AND point_id = ? ORDER BY joined_ms, entry_id LIMIT ?`
			if err := db.Read.SelectContext(ctx, &entries, query, of[0], of[1], of[2], MaxWaiting); err != nil {
				return found, fmt.Errorf("read the places in the waiting list of %s: %w", of[0], err)
			}
			p := places{of: make(map[string]int64, len(entries))}
			for i, e := range entries {
				p.of[e.ID], p.last = int64(i+1), e
			}
			found[key] = p
		}
		return found, nil
	})}
}

func placesKey(activity, sku, point string) string { return ids.Join(activity, sku, point) }

// waiting returns the places of those who wait for units of a sku at a point.
func (c placeCache) waiting(ctx context.Context, activity, sku, point string) (places, error) {
	found, _, err := c.copies.Get(ctx, placesKey(activity, sku, point))
	return found, err
}
