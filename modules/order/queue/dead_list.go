package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
)

// deadAtOnce is how many dead entries of a lane are read in one command. If a lane has more, they are
// read in pages, in the order in which Redis returns them.
const deadAtOnce = 5000

// Dead lists the dead entries of all lanes, ordered by lane and id.
func (insp *Inspector) Dead(ctx context.Context, page api.Page) (api.List[DeadItem], error) {
	lanes := insp.site.Lanes(ctx)
	lengths := make([]*redis.IntCmd, lanes+1)
	_, err := insp.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for lane := 1; lane <= lanes; lane++ {
			lengths[lane] = p.HLen(ctx, insp.lua.Keys.Dead(lane))
		}
		return nil
	})
	if lua.IsWrongType(err) { // of a lane whose dead entries can't be read, which Lanes says
		err = nil
	}
	var items []DeadItem
	var total int64
	from := int64(page.Page-1) * int64(page.Size) // entries to skip in the remaining lanes
	for lane := 1; lane <= lanes && err == nil; lane++ {
		if failed := lengths[lane].Err(); failed != nil && !lua.IsWrongType(failed) {
			err = failed
			break
		}
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
		if lua.IsWrongType(err) { // Lanes says so
			return nil
		}
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
	lanes := insp.site.Lanes(ctx)
	if cursor != "" {
		keys, ok := api.ParseCursor(cursor, 2)
		if ok {
			_, err := fmt.Sscanf(keys[0], "%d", &after.lane)
			after.id, ok = keys[1], err == nil
		}
		if !ok || after.lane < 1 || after.lane > lanes {
			return list, problem.Invalid("after", "must be the next_cursor of a page of this list")
		}
	}
	var kept []deadKey
	for lane := after.lane; lane <= lanes && len(kept) <= size; lane++ {
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
