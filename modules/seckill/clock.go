package seckill

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"onrush/lua"
)

// Clock tells the time of the sales: Redis TIME, as the instance's own clock plus the offset that
// Redis' last answer showed. An instance whose clock is wrong opens nothing early.
type Clock struct {
	local  func() time.Time
	offset atomic.Int64 // milliseconds
}

// NewClock makes a clock over the instance's own; until Redis has answered they are the same.
func NewClock(local func() time.Time) *Clock { return &Clock{local: local} }

// NowMS is the time of the sales in UTC milliseconds.
func (c *Clock) NowMS() int64 { return c.local().UnixMilli() + c.offset.Load() }

// Now is the time of the sales.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.NowMS()).UTC() }

// Saw takes over what Redis said its time was, just now.
func (c *Clock) Saw(redisMS int64) { c.offset.Store(redisMS - c.local().UnixMilli()) }

// Sync asks Redis for its time.
func (c *Clock) Sync(ctx context.Context, s *lua.Scripts) error {
	ms, err := s.NowMS(ctx)
	if err != nil {
		return fmt.Errorf("read the time of redis: %w", err)
	}
	c.Saw(ms)
	return nil
}
