package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
)

// deadSample is about how many dead entries of a lane DeadAge examines.
const deadSample = 1000

// DeadAge returns the age of the oldest dead entry of a lane in ms. If a lane has more than about 1000
// entries, it examines a sample.
func DeadAge(ctx context.Context, s *lua.Scripts, lane int, now time.Time) (int64, error) {
	page, _, err := s.Redis.HScan(ctx, s.Keys.Dead(lane), 0, "", deadSample).Result()
	if err != nil {
		return 0, fmt.Errorf("read dead entries of lane %d: %w", lane, err)
	}
	var oldest int64
	for i := 1; i < len(page); i += 2 {
		var d DeadEntry
		if json.Unmarshal([]byte(page[i]), &d) == nil && d.AtMS > 0 {
			oldest = max(oldest, now.UnixMilli()-d.AtMS)
		}
	}
	return oldest, nil
}

// ReportDead puts entries back into their queues that an older version of the program could not read. If other dead
// entries are left, it logs a warning with the age of the oldest, and returns how many there are. Their units stay held
// until an operator replays or discards them.
func (insp *Inspector) ReportDead(ctx context.Context) (dead int, err error) {
	if err := insp.replayReadable(ctx); err != nil {
		return 0, err
	}
	lanes, err := insp.Lanes(ctx)
	if err != nil {
		return 0, err
	}
	var oldest int64
	var in []int
	for _, l := range lanes {
		if l.Dead > 0 {
			dead += int(l.Dead)
			in = append(in, l.Lane)
			oldest = max(oldest, l.OldestDeadMS)
		}
	}
	if dead > 0 {
		insp.log.WarnContext(ctx, "dead entries hold units until an operator replays or discards them",
			"entries", dead, "lanes", in, "oldest", (time.Duration(oldest) * time.Millisecond).Round(time.Second))
	}
	return dead, nil
}

// replayReadable puts dead entries back into their queues whose record a newer version of the program wrote, and which
// this version can read.
func (insp *Inspector) replayReadable(ctx context.Context) error {
	for lane := 1; lane <= insp.site.Lanes(ctx); lane++ {
		parked := map[string]order.Entry{}
		if err := insp.scanDead(ctx, lane, DeadFilter{Reason: order.ReasonNewerRecord}, func(id string, item DeadItem) {
			if e, err := order.ParseEntry(item.Entry); err == nil && len(parked) < deadAtOnce {
				parked[id] = e
			}
		}); err != nil {
			return err
		}
		ids := slices.Collect(maps.Keys(parked))
		entries := make([]order.Entry, len(ids))
		for i, id := range ids {
			entries[i] = parked[id]
		}
		found, err := unstored.Read(ctx, insp.lua.Redis, insp.lua.Keys, lane, entries)
		if err != nil {
			return err
		}
		for i, e := range entries {
			if errors.Is(found[i].Err, order.ErrNewerRecord) ||
				insp.requireNotDiscarded(ctx, DeadItem{Entry: e.Raw}) != nil {
				continue
			}
			onUnparked.Mark()
			if _, err := insp.lua.ReplayDead(ctx, lane, ids[i], e.Raw); err != nil {
				return err
			}
		}
	}
	return nil
}
