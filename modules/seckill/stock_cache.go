package seckill

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// StockCache shows what activities have left, from copies as old as the caller allows; callers that
// need a newer one at the same time share one read.
type StockCache struct {
	lua *lua.Scripts
	now func() time.Time

	mu   sync.Mutex
	byID map[string]*counted
}

// maxCounted bounds how many activities' counts are kept.
const maxCounted = 2000

// countWithin bounds one read.
const countWithin = 300 * time.Millisecond

type counted struct {
	mu    sync.Mutex
	asOf  time.Time
	left  *Remaining
	tried time.Time // when Redis was last asked in vain
}

// Remaining is what an activity has left, in units by stock field; Loaded says whether Redis has it.
type Remaining struct {
	Loaded bool
	stock  map[string]int64
	paid   map[string]int64
}

// NewStockCache makes an empty cache.
func NewStockCache(s *lua.Scripts, now func() time.Time) *StockCache {
	return &StockCache{lua: s, now: now, byID: map[string]*counted{}}
}

// Of returns what an activity has left, read at most maxAge ago. Once ctx has ended it reads no
// more; a read under way is shared, and goes on.
func (c *StockCache) Of(ctx context.Context, a *Activity, maxAge time.Duration) (*Remaining, error) {
	c.mu.Lock()
	e := c.byID[a.ID]
	if e == nil {
		if len(c.byID) >= maxCounted {
			clear(c.byID)
		}
		e = &counted{}
		c.byID[a.ID] = e
	}
	c.mu.Unlock()

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
		return nil, fmt.Errorf("counts of activity %s: redis was away a moment ago", a.ID)
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

// SKU is how many units of a sku are left in all.
func (l *Remaining) SKU(sku string) int64 { return l.stock[sku] }

// At is how many units of a sku a point has left.
func (l *Remaining) At(sku, point string) int64 { return l.stock[lua.StockField(sku, point)] }

// MayComeBack says whether units of the sku at a point, or at any if point is "", are in orders
// that are not paid, after an order of so many was refused: they may be returned. A copy that
// still has that many is older than the orders that took them, so those are not paid either.
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
