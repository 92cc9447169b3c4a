package seckill

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// StockCache returns the units that activities have left, from copies as old as the caller allows. Concurrent
// callers that need a newer copy share one read.
type StockCache struct {
	lua  *lua.Scripts
	now  func() time.Time
	byID *otter.Cache[string, *counted]
}

// maxCounted bounds how many activities' counts are kept.
const maxCounted = 2000

// countWithin bounds one read.
const countWithin = 300 * time.Millisecond

type counted struct {
	mu    sync.Mutex
	asOf  time.Time
	left  *Remaining
	tried time.Time // when a read last failed; zero after a read that succeeded
}

// Remaining is the units that an activity has left. Loaded says whether Redis has the activity.
type Remaining struct {
	Loaded bool
	stock  map[string]int64 // units left, by stock field
	paid   map[string]int64 // units of paid orders, by stock field
}

// NewStockCache returns an empty cache.
func NewStockCache(s *lua.Scripts, now func() time.Time) *StockCache {
	byID := otter.Must(&otter.Options[string, *counted]{MaximumSize: maxCounted})
	return &StockCache{lua: s, now: now, byID: byID}
}

// Of returns what an activity has left, read at most maxAge ago. It begins no read after ctx has ended; a
// read that has begun continues, since others may share it.
func (c *StockCache) Of(ctx context.Context, a *Activity, maxAge time.Duration) (*Remaining, error) {
	e, _ := c.byID.ComputeIfAbsent(a.ID, func() (*counted, bool) { return &counted{}, false })
	e.mu.Lock()
	defer e.mu.Unlock()
	now := c.now()
	if e.left != nil && now.Sub(e.asOf) < maxAge {
		return e.left, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("counts of activity %s: %w", a.ID, err)
	}
	if !e.tried.IsZero() && now.Sub(e.tried) < countWithin {
		return nil, fmt.Errorf("counts of activity %s: redis was unavailable a moment ago", a.ID)
	}
	left, err := c.read(context.WithoutCancel(ctx), a)
	if err != nil {
		e.tried = c.now()
		return nil, err
	}
	e.asOf, e.left, e.tried = now, left, time.Time{}
	return left, nil
}

func (c *StockCache) read(ctx context.Context, a *Activity) (*Remaining, error) {
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	var stock, paid *redis.MapStringStringCmd
	var state *redis.StringCmd
	_, err := c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		state = p.HGet(ctx, c.lua.Keys.Meta(a.Lane, a.ID), "state")
		stock = p.HGetAll(ctx, c.lua.Keys.Stock(a.Lane, a.ID))
		paid = p.HGetAll(ctx, c.lua.Keys.Paid(a.Lane, a.ID))
		return nil
	})
	if err != nil && err != redis.Nil { //nolint:errorlint // go-redis returns it bare
		return nil, fmt.Errorf("read counts of activity %s: %w", a.ID, err)
	}
	left := &Remaining{Loaded: lua.ActivityState(state.Val()).Loaded()}
	if left.stock, err = lua.ParseCounts(stock.Val()); err != nil {
		return nil, err
	}
	left.paid, err = lua.ParseCounts(paid.Val())
	return left, err
}

// SKU returns how many units of a sku are left in total.
func (l *Remaining) SKU(sku string) int64 { return l.stock[sku] }

// At returns how many units of a sku are left at a point.
func (l *Remaining) At(sku, point string) int64 { return l.stock[lua.StockField(sku, point)] }

// MayComeBack reports whether units of the sku at a point ("" means any) may be returned, since unpaid orders
// hold them. refused is the number of units of the order that was refused as sold out. A copy in which that
// many are left is older than the orders that took them, so these are taken to be unpaid too.
func (l *Remaining) MayComeBack(s *ActivitySKU, point string, refused int64) bool {
	for _, p := range s.Stock {
		if point != "" && p.Point != point {
			continue
		}
		field := lua.StockField(s.SKU, p.Point)
		left := l.stock[field]
		if left >= refused || p.Total-left-l.paid[field] > 0 {
			return true
		}
	}
	return false
}
