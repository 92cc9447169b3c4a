package queue

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// DeadID returns the id of a dead entry in its lane: its order number, or a hash of an entry that can't
// be read.
func DeadID(e order.Entry) string {
	if e.Number > 0 {
		return e.Number.String()
	}
	sum := sha256.Sum256([]byte(e.Raw))
	return "x" + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Inspector gives operators access to the lanes' queues and their dead entries.
type Inspector struct {
	db    *sqldb.DB
	lua   *lua.Scripts
	lanes int
	now   func() time.Time
	log   *slog.Logger
}

// NewInspector returns an Inspector over lanes 1 to lanes.
func NewInspector(d Deps, lanes int) *Inspector {
	return &Inspector{db: d.DB, lua: d.Lua, lanes: lanes, now: d.Clock.Now, log: d.Log}
}

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

// DeadItem is one dead entry as operators see it.
type DeadItem struct {
	DeadID      string     `json:"dead_id"`
	Lane        int        `json:"lane"`
	Entry       string     `json:"entry"`
	OrderNumber string     `json:"order_number,omitempty"`
	ActivityID  string     `json:"activity_id,omitempty"`
	UserID      string     `json:"user_id,omitempty"`
	Reason      string     `json:"reason"`
	Detail      string     `json:"detail,omitempty"`
	At          api.Millis `json:"at"`
}

// deadAtOnce is how many dead entries of a lane are read in one command. If a lane has more, they are
// read in pages, in the order in which Redis returns them.
const deadAtOnce = 5000

// Dead lists the dead entries of all lanes, ordered by lane and id.
func (insp *Inspector) Dead(ctx context.Context, page api.Page) (api.List[DeadItem], error) {
	lengths := make([]*redis.IntCmd, insp.lanes+1)
	_, err := insp.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= insp.lanes; lane++ {
			lengths[lane] = p.HLen(ctx, insp.lua.Keys.Dead(lane))
		}
		return nil
	})
	var items []DeadItem
	var total int64
	from := int64(page.Page-1) * int64(page.Size) // entries to skip in the remaining lanes
	for lane := 1; lane <= insp.lanes && err == nil; lane++ {
		n, want := lengths[lane].Val(), int64(page.Size-len(items))
		total += n
		if want > 0 && from < n {
			var part []DeadItem
			part, err = insp.deadOf(ctx, lane, n, from, want)
			items = append(items, part...)
		}
		from = max(from-n, 0)
	}
	if err != nil {
		return api.List[DeadItem]{},
			problem.Unavailable(fmt.Errorf("read dead entries: %w", err), "The dead entries can't be read right now.")
	}
	return api.List[DeadItem]{Items: items, Page: page.Page, PageSize: page.Size, Total: &total}, nil
}

// deadOf reads at most want of the n dead entries of a lane, and skips the first from of them.
func (insp *Inspector) deadOf(ctx context.Context, lane int, n, from, want int64) (items []DeadItem, err error) {
	if n <= deadAtOnce {
		hash, err := insp.lua.Redis.HGetAll(ctx, insp.lua.Keys.Dead(lane)).Result()
		if err != nil {
			return nil, err
		}
		ids := slices.Sorted(maps.Keys(hash))
		first := min(from, int64(len(ids)))
		for _, id := range ids[first:min(first+want, int64(len(ids)))] {
			items = append(items, deadItem(lane, id, hash[id]))
		}
		return items, nil
	}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		var page []string
		page, cursor, err = insp.lua.Redis.HScan(ctx, insp.lua.Keys.Dead(lane), cursor, "", deadAtOnce).Result()
		if err != nil {
			return nil, err
		}
		for i := 0; i+1 < len(page) && int64(len(items)) < want; i += 2 {
			if from--; from < 0 {
				items = append(items, deadItem(lane, page[i], page[i+1]))
			}
		}
		if int64(len(items)) == want {
			break
		}
	}
	return items, nil
}

func deadItem(lane int, id, value string) DeadItem {
	item := DeadItem{DeadID: strconv.Itoa(lane) + "-" + id, Lane: lane}
	var d DeadEntry
	if err := json.Unmarshal([]byte(value), &d); err != nil {
		d = DeadEntry{Entry: value, Reason: order.ReasonBadEntry}
	}
	item.Entry, item.Reason, item.Detail, item.At = d.Entry, d.Reason, d.Detail, api.Millis(d.AtMS)
	if e, err := order.ParseEntry(d.Entry); err == nil {
		item.OrderNumber, item.ActivityID, item.UserID = e.Number.String(), e.Activity, e.User
	}
	return item
}

// find reads a dead entry by the id that the API shows, `<lane>-<id>`.
func (insp *Inspector) find(ctx context.Context, id string) (lane int, field string, item DeadItem, err error) {
	laneText, field, _ := strings.Cut(id, "-")
	lane, err = strconv.Atoi(laneText)
	if err != nil || lane < 1 || lane > insp.lanes || field == "" {
		return 0, "", DeadItem{}, problem.NotFound("dead entry")
	}
	value, err := insp.lua.Redis.HGet(ctx, insp.lua.Keys.Dead(lane), field).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return 0, "", DeadItem{}, problem.NotFound("dead entry")
	case err != nil:
		return 0, "", DeadItem{},
			problem.Unavailable(fmt.Errorf("read dead entry: %w", err), "The dead entry can't be read right now.")
	}
	return lane, field, deadItem(lane, field, value), nil
}

// Replay moves a dead entry back to the end of its queue; a mover tries it again. If there is no such
// entry the error is not_found, if it was being discarded a conflict.
func (insp *Inspector) Replay(ctx context.Context, id string) (DeadItem, error) {
	lane, field, item, err := insp.find(ctx, id)
	if err != nil {
		return DeadItem{}, err
	}
	if err := insp.requireNotDiscarded(ctx, item); err != nil {
		return DeadItem{}, err
	}
	err = insp.recorded(ctx, "dead.replayed", item, func() error {
		found, err := insp.lua.ReplayDead(ctx, lane, field, item.Entry)
		if err == nil && !found {
			return problem.NotFound("dead entry")
		}
		return err
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(fmt.Errorf("replay dead entry: %w", err),
			"The dead entry can't be replayed right now.")
	}
	return item, err
}

// tasksPage is the number of tasks per read of taskOf.
const tasksPage = 5000

// taskOf returns the task of an entry, from its record or, if that is missing or can't be read, by
// searching the activity's tasks for the order number. It returns "" if there is none.
func (insp *Inspector) taskOf(
	ctx context.Context, lane int, e order.Entry, o *order.Order,
) (hash, digest string, err error) {
	if o != nil {
		return order.TaskHash(o.Task), o.Digest, nil
	}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		tasks := insp.lua.Keys.Tasks(lane, e.Activity)
		page, next, err := insp.lua.Redis.HScan(ctx, tasks, cursor, "", tasksPage).Result()
		if err != nil {
			return "", "", fmt.Errorf("search tasks of %s: %w", e.Activity, err)
		}
		for i := 0; i+1 < len(page); i += 2 {
			if task, err := lua.ParseTask(page[i+1]); err == nil && task.Number == e.Number.String() {
				return page[i], task.Digest, nil
			}
		}
		cursor = next
	}
	return "", "", nil
}

func (insp *Inspector) discard(ctx context.Context, lane int, field string, e order.Entry, task string) error {
	number := ""
	if e.Number > 0 {
		number = e.Number.String()
	}
	found, err := insp.lua.DiscardDead(ctx, lane, e.Activity, e.User, number, task, field, order.ReasonDiscarded)
	if err != nil {
		return fmt.Errorf("discard dead entry: %w", err)
	}
	if !found {
		return problem.NotFound("dead entry")
	}
	return nil
}
