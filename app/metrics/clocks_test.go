package metrics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheClockThatDiffersFromTheTwoOthersIsTheWrongOne(t *testing.T) {
	t.Parallel()
	const right, slightly = 1_000_000, 40
	for wrong, c := range map[string]clocks{
		"instance": {instance: right + 60_000, redis: right, sql: right + slightly},
		"redis":    {instance: right, redis: right - 60_000, sql: right - slightly},
		"sql":      {instance: right + slightly, redis: right, sql: right + 60_000},
		"none":     {instance: right, redis: right + slightly, sql: right - slightly},
	} {
		offsets := c.offsets()
		assert.Len(t, offsets, 3)
		for machine, offset := range offsets {
			most := time.Second
			if machine == wrong {
				assert.InDelta(t, time.Minute, offset.Abs(), float64(most), wrong)
				continue
			}
			assert.LessOrEqual(t, offset.Abs(), most, "%s, where %s is wrong", machine, wrong)
		}
	}
}
