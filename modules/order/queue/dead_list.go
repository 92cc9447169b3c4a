package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// DeadFilter selects dead entries; zero values select all. From (inclusive) and To (exclusive) select by the time at
// which they became dead.
type DeadFilter struct {
	Reason, Activity string
	From, To         api.Millis
}

func (f DeadFilter) meets(item DeadItem) bool {
	return (f.Reason == "" || f.Reason == item.Reason) && (f.Activity == "" || f.Activity == item.ActivityID) &&
		(f.From == 0 || item.At >= f.From) && (f.To == 0 || item.At < f.To)
}

// deadKey is the key by which dead entries are listed.
type deadKey struct {
	lane int
	id   string
}

// scanDead calls found for each dead entry of a lane that the filter selects, in no order. An entry that is there all
// the time may come more than once.
func (insp *Inspector) scanDead(
	ctx context.Context, lane int, f DeadFilter, found func(id string, item DeadItem),
) error {
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		page, next, err := insp.lua.Redis.HScan(ctx, insp.lua.Keys.Dead(lane), cursor, "", deadAtOnce).Result()
		if err != nil {
			return fmt.Errorf("read dead entries of lane %d: %w", lane, err)
		}
		for i := 0; i+1 < len(page); i += 2 {
			if item := deadItem(lane, page[i], page[i+1]); f.meets(item) {
				found(page[i], item)
			}
		}
		cursor = next
	}
	return nil
}

// DeadAfter lists the dead entries after a cursor by lane and id; "" is the cursor of the first page. Redis has no
// index of them: a page reads all entries of the lanes that it lists, but keeps only its own.
func (insp *Inspector) DeadAfter(
	ctx context.Context, f DeadFilter, cursor string, size int,
) (list api.List[DeadItem], err error) {
	list.PageSize = size
	after := deadKey{lane: 1}
	if cursor != "" {
		keys, ok := api.ParseCursor(cursor, 2)
		if ok {
			_, err := fmt.Sscanf(keys[0], "%d", &after.lane)
			after.id, ok = keys[1], err == nil
		}
		if !ok || after.lane < 1 || after.lane > insp.lanes {
			return list, problem.Invalid("before", "must be the next_cursor of a page of this list")
		}
	}
	var kept []deadKey
	for lane := after.lane; lane <= insp.lanes && len(kept) <= size; lane++ {
		items := map[string]DeadItem{}
		want := size + 1 - len(kept)
		err := insp.scanDead(ctx, lane, f, func(id string, item DeadItem) {
			if lane > after.lane || id > after.id {
				keepLeast(items, id, item, want)
			}
		})
		if err != nil {
			return list, problem.Unavailable(err, "The dead entries can't be read right now.")
		}
		for _, id := range slices.Sorted(maps.Keys(items))[:min(len(items), want)] {
			kept = append(kept, deadKey{lane, id})
			list.Items = append(list.Items, items[id])
		}
	}
	if len(kept) > size {
		list.Items = list.Items[:size]
		last := kept[size-1]
		list.NextCursor = api.FormatCursor(fmt.Sprint(last.lane), last.id)
	}
	return list, nil
}

// keepLeast adds an item, and drops the greatest ids from time to time, so that at most some more than want are
// kept.
func keepLeast(items map[string]DeadItem, id string, item DeadItem, want int) {
	items[id] = item
	if len(items) < 2*want+deadAtOnce {
		return
	}
	ids := slices.Sorted(maps.Keys(items))
	for _, id := range ids[want:] {
		delete(items, id)
	}
}

// ReplayedAll says how many dead entries one call put back, and how many of the selected entries remain.
type ReplayedAll struct {
	Replayed  int `json:"replayed"`
	Remaining int `json:"remaining"`
}

// replayAtOnce is how many dead entries one call of ReplayAll puts back.
const replayAtOnce = 1000

// ReplayAll puts the selected dead entries back into their queues, at most 1,000. Entries that are being discarded
// remain.
func (insp *Inspector) ReplayAll(ctx context.Context, f DeadFilter) (all ReplayedAll, err error) {
	var ids []string
	selected := 0
	for lane := 1; lane <= insp.lanes; lane++ {
		seen := map[string]bool{}
		if err := insp.scanDead(ctx, lane, f, func(id string, item DeadItem) {
			if !seen[id] {
				seen[id] = true
				selected++
				if len(ids) < replayAtOnce {
					ids = append(ids, item.DeadID)
				}
			}
		}); err != nil {
			return all, problem.Unavailable(err, "The dead entries can't be read right now.")
		}
	}
	gone := 0
	for _, id := range ids {
		switch _, err := insp.Replay(ctx, id); problem.CodeOf(err) {
		case problem.Code{}:
			if err != nil {
				return all, err
			}
			all.Replayed++
		case problem.CodeNotFound: // another operator was faster
			gone++
		case problem.CodeConflict: // it is being discarded
		default:
			return all, err
		}
	}
	all.Remaining = selected - all.Replayed - gone
	return all, nil
}
