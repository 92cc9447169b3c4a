package queue

import (
	"cmp"
	"context"
	"errors"
	"time"

	"onrush/lua"
)

const (
	// batchesAtOnce is how many batches of a lane SQL stores at the same time; while a crowd places orders in the lane,
	// it is one.
	batchesAtOnce = 3
	// batchesPerRun bounds one run over one lane.
	batchesPerRun = 40
	// lanesAtOnce is how many lanes RunOnce moves concurrently. Run moves all of them.
	lanesAtOnce = 2
)

// MoverConfig bounds the movers.
type MoverConfig struct {
	// Batch is how many orders one transaction stores. Default 500.
	Batch int
	// Every is how often Run reads the lengths of the queues. Default 50 ms.
	Every time.Duration
	// Within is how long the orders of a lane wait for Run while a crowd places more. Default 0: not at all.
	Within time.Duration
	// Gather is how many orders of a lane wait for Run at most. Default 0: any number.
	Gather int64
	// Confirm says which replicas of Redis must have orders before they are stored. Its Within is 500 ms by default.
	Confirm lua.Confirm
	// Paused reports whether Run must not begin a batch; it is called about every Every. Nil: never.
	Paused func(ctx context.Context) bool
}

func (c MoverConfig) withDefaults() MoverConfig {
	c.Batch = cmp.Or(c.Batch, 500)
	c.Confirm.Within = cmp.Or(c.Confirm.Within, 500*time.Millisecond)
	c.Every = cmp.Or(c.Every, 50*time.Millisecond)
	return c
}

func (c MoverConfig) check() error {
	if c.Batch < 1 || c.Batch > 1000 {
		return errors.New("mover: batch must be 1 to 1000")
	}
	return nil
}
