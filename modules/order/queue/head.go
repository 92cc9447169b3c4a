package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
)

// Head is the beginning of a lane's queue, for figures.
type Head struct {
	Length   int64 // of the queue
	OldestMS int64 // the age of the first entry in ms; 0 if the queue is empty

	entries []string
}

// ReadHead queues the reads of the first entries of a lane's queue, at most that many. The function that it returns has
// them once p was executed; nowMS is the time of the stores.
func ReadHead(
	ctx context.Context, p redis.Pipeliner, s *lua.Scripts, lane int, most int64,
) func(nowMS int64) (*Head, error) {
	key := s.Keys.Queue(lane)
	length, first := p.LLen(ctx, key), p.LRange(ctx, key, 0, most-1)
	return func(nowMS int64) (*Head, error) {
		if err := errors.Join(length.Err(), first.Err()); err != nil {
			return nil, fmt.Errorf("read the queue of lane %d: %w", lane, err)
		}
		h := &Head{entries: first.Val()}
		if len(h.entries) == 0 {
			return h, nil
		}
		h.Length = max(length.Val(), int64(len(h.entries))) // orders may come and go between the two reads
		if e, err := order.ParseEntry(h.entries[0]); err == nil {
			h.OldestMS = max(nowMS-e.PlacedMS, 0)
		}
		return h, nil
	}
}

// Placed returns how many orders of an activity are in the queue. If the queue has more entries than were read, the
// activity is assumed to have the same share of the others. So the number is exact for a short queue, and for an
// activity that is alone in its lane.
func (h *Head) Placed(activity string) int64 {
	if len(h.entries) == 0 {
		return 0
	}
	return int64(len(EntriesOf(activity, h.entries))) * h.Length / int64(len(h.entries))
}
