package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var clockOffset = prometheus.NewDesc("onrush_clock_offset_seconds",
	"How far the clock of a machine is ahead of the middle one of three: of this instance, of Redis and of SQL.",
	[]string{"machine"}, nil)

// clocks are the times of three machines, read at the same moment, in milliseconds.
type clocks struct{ instance, redis, sql int64 }

// offsets returns by how much each clock is ahead of the middle one. If one of three is wrong, it is not the middle
// one, so the others differ by little.
func (c clocks) offsets() map[string]time.Duration {
	middle := max(min(c.instance, c.redis), min(max(c.instance, c.redis), c.sql))
	offset := func(ms int64) time.Duration { return time.Duration(ms-middle) * time.Millisecond }
	return map[string]time.Duration{"instance": offset(c.instance), "redis": offset(c.redis), "sql": offset(c.sql)}
}

// Clocks compares the clocks of this instance and of the stores.
func Clocks(now func() time.Time, redis, sql func(ctx context.Context) (int64, error)) Source {
	return Source{"clocks", func(ctx context.Context) ([]prometheus.Metric, error) {
		before := now()
		var c clocks
		var err error
		if c.redis, err = redis(ctx); err != nil {
			return nil, err
		}
		between := now()
		if c.sql, err = sql(ctx); err != nil {
			return nil, err
		}
		// Both answers are as if they had come in the middle, or a slow store would look like a wrong clock.
		c.instance = between.UnixMilli()
		c.redis += between.Sub(before).Milliseconds() / 2
		c.sql -= now().Sub(between).Milliseconds() / 2
		var g gauges
		for machine, offset := range c.offsets() {
			g.add(clockOffset, offset.Seconds(), machine)
		}
		return g, nil
	}}
}
