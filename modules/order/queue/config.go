package queue

import (
	"cmp"
	"context"
	"errors"
	"time"

	"onrush/lua"
)

// MoverConfig bounds the movers.
type MoverConfig struct {
	// Batch is how many orders one transaction stores. Default 500.
	Batch int
	// BatchesAtOnce is how many batches of a lane SQL stores at the same time; while a crowd places orders in
	// the lane, it is one. Default 3.
	BatchesAtOnce int
	// BatchesPerRun bounds one run over one lane. Default 40.
	BatchesPerRun int
	// Every is how often Run reads the lengths of the queues. Default 50 ms.
	Every time.Duration
	// Within is how long the orders of a lane wait for Run while a crowd places more. Default 0: not at all.
	Within time.Duration
	// Gather is how many orders of a lane wait for Run at most. Default 0: any number.
	Gather int64
	// AtOnce is how many lanes RunOnce moves concurrently. Run moves all of them. Default 2.
	AtOnce int
	// Confirm says which replicas of Redis must have orders before they are stored. Its Within is 500 ms by default.
	Confirm lua.Confirm
	// Paused reports whether Run must not begin a batch; it is called about every Every. Nil: never.
	Paused func(ctx context.Context) bool
}

func (c MoverConfig) withDefaults() MoverConfig {
	c.Batch = cmp.Or(c.Batch, 500)
	c.BatchesAtOnce = cmp.Or(c.BatchesAtOnce, 3)
	c.BatchesPerRun = cmp.Or(c.BatchesPerRun, 40)
	c.AtOnce = cmp.Or(c.AtOnce, 2)
	c.Confirm.Within = cmp.Or(c.Confirm.Within, 500*time.Millisecond)
	c.Every = cmp.Or(c.Every, 50*time.Millisecond)
	return c
}

func (c MoverConfig) check() error {
	if c.Batch < 1 || c.Batch > 1000 || c.BatchesPerRun < 1 || c.BatchesAtOnce < 1 || c.AtOnce < 1 {
		return errors.New("mover: batch must be 1 to 1000, batches per run, batches and lanes at once 1 or more")
	}
	return nil
}
