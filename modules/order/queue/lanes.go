package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/modules/order"
	"onrush/modules/problem"
)

// Lane is the state of one lane's queue; OldestMS is the age of its head, 0 when it is empty.
type Lane struct {
	Lane     int   `json:"lane"`
	Length   int64 `json:"length"`
	OldestMS int64 `json:"oldest_ms"`
	Dead     int64 `json:"dead"`
	// OldestDeadMS is the age of the oldest dead entry in ms; 0 if there is none.
	OldestDeadMS int64 `json:"oldest_dead_ms"`
	// NewerRecords says that a newer version of the program wrote the order at the head: only newer
	// instances move this lane.
	NewerRecords bool `json:"newer_records"`
}

// Lanes reads the state of all queues in one pipeline.
func (insp *Inspector) Lanes(ctx context.Context) ([]Lane, error) {
	heads := make([]*redis.StringCmd, insp.lanes+1)
	lengths := make([]*redis.IntCmd, insp.lanes+1)
	dead := make([]*redis.IntCmd, insp.lanes+1)
	_, err := insp.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= insp.lanes; lane++ {
			lengths[lane] = p.LLen(ctx, insp.lua.Keys.LockLog(lane))
			heads[lane] = p.LIndex(ctx, insp.lua.Keys.LockLog(lane), 0)
			dead[lane] = p.HLen(ctx, insp.lua.Keys.Dead(lane))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, problem.Unavailable(fmt.Errorf("read queues: %w", err), "The queue can't be read right now.")
	}
	states := make([]Lane, 0, insp.lanes)
	for lane := 1; lane <= insp.lanes; lane++ {
		state := Lane{Lane: lane, Length: lengths[lane].Val(), Dead: dead[lane].Val()}
		if e, err := order.ParseEntry(heads[lane].Val()); err == nil {
			state.OldestMS = max(insp.now().UnixMilli()-e.PlacedMS, 0)
			state.NewerRecords = insp.newer(ctx, lane, e)
		}
		if state.Dead > 0 {
			if state.OldestDeadMS, err = DeadAge(ctx, insp.lua, lane, insp.now()); err != nil {
				return nil, problem.Unavailable(err, "The queue can't be read right now.")
			}
		}
		states = append(states, state)
	}
	return states, nil
}

// newer reports whether a newer version of the program wrote the record of an entry.
func (insp *Inspector) newer(ctx context.Context, lane int, e order.Entry) bool {
	found, err := order.ReadCached(ctx, insp.lua.Redis, insp.lua.Keys, lane, []order.Entry{e})
	return err == nil && errors.Is(found[0].Err, order.ErrNewerRecord)
}
