package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/problem"
)

// Lane is the state of one lane's queue.
type Lane struct {
	Lane   int   `json:"lane"`
	Length int64 `json:"length"`
	// OldestMS is for how long the entry at the head has waited, in ms: since it was placed or, if that is unknown,
	// since this instance saw it there first. 0 if the queue is empty.
	OldestMS int64 `json:"oldest_ms"`
	Dead     int64 `json:"dead"`
	// OldestDeadMS is the age of the oldest dead entry in ms; 0 if there is none.
	OldestDeadMS int64 `json:"oldest_dead_ms"`
	// NewerRecords says that a newer version of the program wrote the order at the head: only newer
	// instances move it.
	NewerRecords bool `json:"newer_records"`
	// Unreadable says that the queue or the dead entries can't be read: their key has another type.
	Unreadable bool `json:"unreadable"`
	// PausedBy is the operator who paused the movers of all lanes, and PausedAt is when; zero if they are not paused.
	PausedBy string     `json:"paused_by,omitempty"`
	PausedAt api.Millis `json:"paused_at,omitzero"`
}

// heads are the entries at the heads of the queues, and since when this instance has seen them there.
type heads struct {
	mu    sync.Mutex
	since map[int]seenHead
}

type seenHead struct {
	raw string
	at  time.Time
}

// age returns for how long a text has been at the head of a lane.
func (h *heads) age(lane int, raw string, now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since == nil {
		h.since = map[int]seenHead{}
	}
	if seen, known := h.since[lane]; known && seen.raw == raw {
		return max(now.Sub(seen.at), 0)
	}
	h.since[lane] = seenHead{raw, now}
	return 0
}

// Lanes reads the state of all queues.
func (insp *Inspector) Lanes(ctx context.Context) ([]Lane, error) {
	states, heads, err := insp.readLanes(ctx)
	if err != nil {
		return nil, err
	}
	for i := range states {
		state := &states[i]
		if e, err := order.ParseEntry(heads[i]); err == nil {
			state.NewerRecords = insp.newer(ctx, state.Lane, e)
		}
		if state.Dead > 0 {
			if state.OldestDeadMS, err = DeadAge(ctx, insp.lua, state.Lane, insp.now()); err != nil {
				return nil, problem.Unavailable(err, "The queue can't be read right now.")
			}
		}
	}
	return states, nil
}

// readLanes reads the lengths and heads of all queues in one pipeline.
func (insp *Inspector) readLanes(ctx context.Context) (states []Lane, entries []string, err error) {
	lanes := insp.site.Lanes(ctx)
	heads := make([]*redis.StringCmd, lanes+1)
	lengths := make([]*redis.IntCmd, lanes+1)
	dead := make([]*redis.IntCmd, lanes+1)
	_, err = insp.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= lanes; lane++ {
			lengths[lane] = p.LLen(ctx, insp.lua.Keys.Queue(lane))
			heads[lane] = p.LIndex(ctx, insp.lua.Keys.Queue(lane), 0)
			dead[lane] = p.HLen(ctx, insp.lua.Keys.Dead(lane))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) && !lua.IsWrongType(err) {
		return nil, nil, problem.Unavailable(fmt.Errorf("read queues: %w", err), "The queue can't be read right now.")
	}
	now := insp.now()
	for lane := 1; lane <= lanes; lane++ {
		for _, err := range []error{lengths[lane].Err(), heads[lane].Err(), dead[lane].Err()} {
			if err != nil && !errors.Is(err, redis.Nil) && !lua.IsWrongType(err) {
				return nil, nil, problem.Unavailable(fmt.Errorf("read queue of lane %d: %w", lane, err),
					"The queue can't be read right now.")
			}
		}
		unreadable := lua.IsWrongType(heads[lane].Err())
		state := Lane{
			Lane: lane, Length: lengths[lane].Val(), Dead: dead[lane].Val(),
			Unreadable: unreadable || lua.IsWrongType(dead[lane].Err()),
		}
		if head := heads[lane].Val(); state.Length > 0 || unreadable {
			state.OldestMS = insp.heads.age(lane, head, now).Milliseconds()
			if e, err := order.ParseEntry(head); err == nil {
				state.OldestMS = max(state.OldestMS, now.UnixMilli()-e.PlacedMS)
			}
		}
		states, entries = append(states, state), append(entries, heads[lane].Val())
	}
	return states, entries, nil
}

// stuckAfter is from which age of its head on a lane stands still.
const stuckAfter = 30 * time.Second

// CheckMoving returns an error that names the lanes that stand still, whatever the reason: no entry has left the
// queue for stuckAfter, or it can't be read. It returns nil while Redis is unavailable, which is another check's
// concern.
func (insp *Inspector) CheckMoving(ctx context.Context) error {
	states, _, err := insp.readLanes(ctx)
	if err != nil {
		return nil //nolint:nilerr // nothing is known of the lanes
	}
	var stuck []string
	for _, l := range states {
		if l.OldestMS > stuckAfter.Milliseconds() || l.Unreadable {
			stuck = append(stuck, strconv.Itoa(l.Lane))
		}
	}
	switch len(stuck) {
	case 0:
		return nil
	case 1:
		return errors.New("lane " + stuck[0])
	default:
		return errors.New("lanes " + strings.Join(stuck, ", "))
	}
}

// newer reports whether a newer version of the program wrote the record of an entry.
func (insp *Inspector) newer(ctx context.Context, lane int, e order.Entry) bool {
	found, err := unstored.Read(ctx, insp.lua.Redis, insp.lua.Keys, lane, []order.Entry{e})
	return err == nil && errors.Is(found[0].Err, order.ErrNewerRecord)
}
