package seckill

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"onrush/lua"
	"onrush/modules/sign"
)

const (
	// confirmedFor is how long a confirmation is valid.
	confirmedFor = 10 * time.Minute
	// soldOutFor is the maximum age of the counts that "sold out" is answered from.
	soldOutFor = 20 * time.Millisecond
)

// Config configures flash sales. Fields that are zero have their defaults.
type Config struct {
	// Secrets sign paths, task ids and confirmations.
	Secrets sign.Secrets
	// PathFor is how long an order path is valid. Default 2 minutes.
	PathFor time.Duration
	// PlaceWithin bounds a submit from its arrival to its answer. Default 800 ms.
	PlaceWithin time.Duration
	// PlaceBatch is how many orders one script call places. Default 256.
	PlaceBatch int
	// MaxWaiting is how many submits of one activity may wait in an instance. Default 8192.
	MaxWaiting int
	// QueueLimit is the maximum number of orders in a lane's queue; no order is placed in a full queue.
	// Default 200,000.
	QueueLimit int64
	// Confirm says which replicas of Redis must have an order before it is answered. Its Within is 500 ms by default.
	Confirm lua.Confirm
}

func (c Config) withDefaults() Config {
	c.PathFor = cmp.Or(c.PathFor, 2*time.Minute)
	c.PlaceWithin = cmp.Or(c.PlaceWithin, 800*time.Millisecond)
	c.PlaceBatch = cmp.Or(c.PlaceBatch, 256)
	c.MaxWaiting = cmp.Or(c.MaxWaiting, 8192)
	c.QueueLimit = cmp.Or(c.QueueLimit, 200_000)
	c.Confirm.Within = cmp.Or(c.Confirm.Within, 500*time.Millisecond)
	return c
}

func (c Config) check() error {
	switch {
	case len(c.Secrets.First()) < sign.MinSecret:
		return fmt.Errorf("seckill config: the path secret must have at least %d bytes", sign.MinSecret)
	case c.PlaceBatch < 1 || c.PlaceBatch > 256:
		return errors.New("seckill config: a batch must have 1 to 256 orders")
	case c.MaxWaiting < 1 || c.QueueLimit < 1 || c.PathFor <= 0 ||
		c.PlaceWithin <= 0 || c.Confirm.Within <= 0:
		return errors.New("seckill config: sizes and times must be above 0")
	case c.Confirm.Replicas < 0:
		return errors.New("seckill config: replicas must be 0 or more")
	}
	return nil
}
