package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"onrush/lua"
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

// ReportDead logs a warning if there are dead entries, with the age of the oldest, and returns how many
// there are. Their units stay held until an operator replays or discards them.
func (insp *Inspector) ReportDead(ctx context.Context) (dead int, err error) {
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
