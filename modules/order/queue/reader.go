package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
)

// queuePage is how many entries of a queue, or dead entries, are read per command: one command that reads
// millions of entries would block all other clients of Redis.
const queuePage = 5000

// Reader reads a lane's queue in pages from the head to the end, while movers remove entries from
// the head and buyers append entries. It returns every entry that stays in the queue, each once.
type Reader struct {
	rdb  redis.UniversalClient
	key  string
	page int64
	next int64  // the index after the last entry that was read, at the time of the read
	last string // that entry; "" before the first
}

// NewReader returns a reader of a lane's queue.
func NewReader(s *lua.Scripts, lane int) *Reader {
	return &Reader{rdb: s.Redis, key: s.Keys.Queue(lane), page: queuePage}
}

// Next returns the next page of raw entries; an empty page means that the end was reached.
func (r *Reader) Next(ctx context.Context) ([]string, error) {
	for from := max(r.next-1, 0); ; from = max(from-r.page, 0) {
		raws, err := r.rdb.LRange(ctx, r.key, from, from+r.page).Result()
		if err != nil {
			return nil, fmt.Errorf("read queue: %w", err)
		}
		if rest, ok := r.follow(from, raws); ok {
			return rest, nil
		}
	}
}

// Rest queues the command that reads about a page of the entries that Next has not returned yet; Follow
// takes its reply. So it can run atomically with other commands.
func (r *Reader) Rest(ctx context.Context, p redis.Pipeliner) *redis.StringSliceCmd {
	return p.LRange(ctx, r.key, max(r.next-1-r.page, 0), r.next+r.page)
}

// Follow takes the reply to Rest and returns the entries that Next has not returned yet. left is how many
// of the entries that Next returned are still in the queue; these are the last ones. ok is false if more
// entries were appended or removed than Rest reads.
func (r *Reader) Follow(raws []string) (rest []string, left int64, ok bool) {
	from := max(r.next-1-r.page, 0)
	if full := int64(len(raws)) > r.next+r.page-from; full {
		return nil, 0, false
	}
	before := r.last != ""
	rest, ok = r.follow(from, raws)
	if ok && before {
		left = from + int64(len(raws)-len(rest))
	}
	return rest, left, ok
}

// follow finds the last entry that was read among raws, whose first index is from, and returns what
// follows it. If raws has the whole queue and not that entry, the entry was removed.
func (r *Reader) follow(from int64, raws []string) (rest []string, ok bool) {
	at := -1
	for i, raw := range raws {
		if r.last != "" && raw == r.last {
			at = i
			break
		}
	}
	if at < 0 && r.last != "" && from > 0 {
		return nil, false
	}
	rest = raws[at+1:]
	if len(rest) > 0 {
		r.last = rest[len(rest)-1]
	}
	r.next = from + int64(len(raws))
	return rest, true
}

// EntriesOf returns an activity's entries among the raw entries of a queue.
func EntriesOf(activity string, queue []string) []order.Entry {
	var entries []order.Entry
	for _, raw := range queue {
		if e, err := order.ParseEntry(raw); err == nil && e.Activity == activity {
			entries = append(entries, e)
		}
	}
	return entries
}

// deadEntryOf reads the queue entry of a dead entry and reports whether it is of the activity.
func deadEntryOf(activity, value string) (order.Entry, bool) {
	var d DeadEntry
	if json.Unmarshal([]byte(value), &d) != nil {
		return order.Entry{}, false
	}
	e, err := order.ParseEntry(d.Entry)
	return e, err == nil && e.Activity == activity
}

// DeadOf returns an activity's entries among a lane's dead entries.
func DeadOf(activity string, dead map[string]string) []order.Entry {
	var entries []order.Entry
	for _, value := range dead {
		if e, ok := deadEntryOf(activity, value); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// EachDead calls fn with the dead entries of an activity in a lane, page by page. An entry may be passed
// twice; one that is replayed or discarded during the call may be missed.
func EachDead(ctx context.Context, s *lua.Scripts, lane int, activity string, fn func([]order.Entry) error) error {
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		page, next, err := s.Redis.HScan(ctx, s.Keys.Dead(lane), cursor, "", queuePage).Result()
		if lua.IsWrongType(err) { // the entries are gone; the queue's entries still count
			return nil
		}
		if err != nil {
			return fmt.Errorf("read dead entries of lane %d: %w", lane, err)
		}
		cursor = next
		var entries []order.Entry
		for i := 1; i < len(page); i += 2 {
			if e, ok := deadEntryOf(activity, page[i]); ok {
				entries = append(entries, e)
			}
		}
		if len(entries) == 0 {
			continue
		}
		if err := fn(entries); err != nil {
			return err
		}
	}
	return nil
}

// EachQueued calls fn with the entries of an activity in a lane's queue, page by page. Each entry that
// stays in the queue during the call is passed once.
func EachQueued(ctx context.Context, s *lua.Scripts, lane int, activity string, fn func([]order.Entry) error) error {
	for r := NewReader(s, lane); ; {
		raws, err := r.Next(ctx)
		if err != nil || len(raws) == 0 {
			return err
		}
		entries := EntriesOf(activity, raws)
		if len(entries) == 0 {
			continue
		}
		if err := fn(entries); err != nil {
			return err
		}
	}
}
