package seckill

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/ids"
)

// StockCache returns the units that activities have left, from copies as old as the caller allows. It reads no more
// than is asked for: a sale may have tens of thousands of counts, one per sku and stock point.
type StockCache struct {
	lua    *lua.Scripts
	totals *aged.Cache[*Remaining] // the totals of all skus, by activity
	points *aged.Cache[*Remaining] // one sku at all its points, or the parts of a bundle, by <activity>/<sku>
	wholes *aged.Cache[*Remaining] // all counts, by activity
}

const (
	// maxCounted bounds how many copies of each kind are kept. About half as many, those that were used last, are kept
	// in any case.
	maxCounted = 4000
	// countWithin bounds one read, and is how long after a failed read no other begins.
	countWithin = 300 * time.Millisecond
	// returnableFor is the maximum age of the copies that say whether units may be returned.
	returnableFor = time.Second
)

// Remaining is the units that an activity has left, or a part of them. Loaded says whether Redis has the activity.
type Remaining struct {
	Loaded bool
	stock  map[string]int64 // units left, by stock field
	paid   map[string]int64 // units of paid orders, by stock field
	empty  map[string]int64 // when the last unit was taken in UTC milliseconds, by sku; absent if unknown
	kept   map[string]bool  // whether the units are only for buyers who wait, by stock field; StockCache.At reads it
	// members are the units in orders of buyers for whom units are reserved, by field of the bought hash.
	members map[string]int64
}

// NewStockCache returns an empty cache.
func NewStockCache(s *lua.Scripts, now func() time.Time) *StockCache {
	cfg := aged.Config{What: "counts of the activity", Now: now, Within: countWithin, Pause: countWithin}
	return &StockCache{
		lua:    s,
		totals: aged.NewCache[*Remaining](cfg, maxCounted),
		points: aged.NewCache[*Remaining](cfg, maxCounted),
		wholes: aged.NewCache[*Remaining](cfg, maxCounted),
	}
}

// Totals returns how many units of its skus an activity has left in total, read at most maxAge ago.
func (c *StockCache) Totals(ctx context.Context, a *Activity, maxAge time.Duration) (*Remaining, error) {
	return c.totals.Get(ctx, a.ID, maxAge, func(ctx context.Context) (*Remaining, error) {
		fields := make([]string, len(a.SKUs))
		for i := range a.SKUs {
			fields[i] = a.SKUs[i].SKU
		}
		return c.read(ctx, a, fields, nil, nil)
	})
}

// At returns the units of a sku at its points that are left, and that are paid, read at most maxAge ago; of a bundle,
// the units of its parts. Units that are only for buyers who wait are not left.
func (c *StockCache) At(ctx context.Context, a *Activity, g *ActivitySKU, maxAge time.Duration) (*Remaining, error) {
	return c.points.Get(ctx, ids.Join(a.ID, g.SKU), maxAge, func(ctx context.Context) (*Remaining, error) {
		fields := make([]string, 0, len(g.Stock))
		for _, of := range a.stocked(g) {
			for _, p := range of.Stock {
				fields = append(fields, lua.StockField(of.SKU, p.Point))
			}
		}
		return c.read(ctx, a, fields, fields, g.reservedFields())
	})
}

// Open returns how many units of a sku are open to buyers at a time, by counts that were read at most maxAge ago: the
// units left, without units of waves that open later, units that only buyers who wait get, and units that are reserved
// for some buyers. known is false if they can't be read, or if Redis doesn't have the activity.
func (c *StockCache) Open(
	ctx context.Context, a *Activity, g *ActivitySKU, maxAge time.Duration, nowMS int64,
) (units int64, known bool) {
	return c.openFor(ctx, a, g, maxAge, nowMS, false)
}

// openFor is Open, with reserved for a buyer for whom units are reserved.
func (c *StockCache) openFor(
	ctx context.Context, a *Activity, g *ActivitySKU, maxAge time.Duration, nowMS int64, reserved bool,
) (units int64, known bool) {
	left, err := c.Totals(ctx, a, maxAge)
	if err != nil || !left.Loaded {
		return 0, false
	}
	return c.openOf(ctx, a, g, left, maxAge, nowMS, reserved)
}

// openOf is openFor for a caller that has read the totals of a loaded activity.
func (c *StockCache) openOf(
	ctx context.Context, a *Activity, g *ActivitySKU, totals *Remaining, maxAge time.Duration, nowMS int64,
	reserved bool,
) (units int64, known bool) {
	if g.Bundle() {
		return c.openBundle(ctx, a, g, maxAge, nowMS)
	}
	all := g.Waves.Closed("", nowMS) == 0 && (reserved || g.Reserved.Closed("", nowMS) == 0)
	if all && (a.OfferWithinS == 0 || a.Draws()) {
		return max(totals.SKU(g.SKU), 0), true
	}
	left, err := c.At(ctx, a, g, maxAge)
	if err != nil || !left.Loaded {
		return 0, false
	}
	for _, p := range g.Stock {
		units += left.open(g, p.Point, nowMS, reserved)
	}
	return units, true
}

// All returns all counts of an activity, read at most maxAge ago. Of a large sale these are many.
func (c *StockCache) All(ctx context.Context, a *Activity, maxAge time.Duration) (*Remaining, error) {
	return c.wholes.Get(ctx, a.ID, maxAge, func(ctx context.Context) (*Remaining, error) { return c.readAll(ctx, a) })
}

// read reads fields of the stock, of the paid units, and of the units of buyers for whom units are reserved.
func (c *StockCache) read(ctx context.Context, a *Activity, stock, paid, reserved []string) (*Remaining, error) {
	var left, sold, waits, members *redis.SliceCmd
	var meta *redis.SliceCmd
	_, err := c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, c.lua.Keys.Meta(a.Lane, a.ID), metaFields(a)...)
		if len(stock) > 0 {
			left = p.HMGet(ctx, c.lua.Keys.Stock(a.Lane, a.ID), stock...)
		}
		if len(reserved) > 0 {
			members = p.HMGet(ctx, c.lua.Keys.Bought(a.Lane, a.ID), reserved...)
		}
		if len(paid) > 0 {
			sold = p.HMGet(ctx, c.lua.Keys.Paid(a.Lane, a.ID), paid...)
			if a.OfferWithinS > 0 && !a.Draws() { // nobody but those who are drawn may have any
				waits = c.lua.ReadWaits(ctx, p, a.Lane, a.ID, paid)
			}
		}
		return nil
	})
	if err != nil && err != redis.Nil { //nolint:errorlint // go-redis returns it bare
		return nil, fmt.Errorf("read counts of activity %s: %w", a.ID, err)
	}
	r := newRemaining(a, meta.Val())
	if r.stock, err = counted(stock, left); err != nil {
		return nil, err
	}
	if waits != nil {
		r.kept = lua.ParseWaits(paid, waits.Val(), a.Epoch())
	}
	if r.members, err = counted(reserved, members); err != nil {
		return nil, err
	}
	r.paid, err = counted(paid, sold)
	return r, err
}

// metaFields are the fields of the meta hash that newRemaining needs: the state, and when each sku sold out.
func metaFields(a *Activity) []string {
	fields := make([]string, 1, 1+len(a.SKUs))
	fields[0] = "state"
	for i := range a.SKUs {
		fields = append(fields, lua.EmptyField(a.SKUs[i].SKU))
	}
	return fields
}

// newRemaining returns a Remaining without counts from the values of metaFields.
func newRemaining(a *Activity, meta []any) *Remaining {
	state, _ := meta[0].(string)
	r := &Remaining{Loaded: lua.ActivityState(state).Loaded(), empty: map[string]int64{}}
	for i, at := range meta[1:] {
		if text, known := at.(string); known {
			r.empty[a.SKUs[i].SKU], _ = strconv.ParseInt(text, 10, 64)
		}
	}
	return r
}

// counted returns the counts of fields that HMGET returned.
func counted(fields []string, values *redis.SliceCmd) (map[string]int64, error) {
	texts := make(map[string]string, len(fields))
	for i, field := range fields {
		if text, found := values.Val()[i].(string); found {
			texts[field] = text
		}
	}
	return lua.ParseCounts(texts)
}

func (c *StockCache) readAll(ctx context.Context, a *Activity) (*Remaining, error) {
	var stock, paid *redis.MapStringStringCmd
	var meta, members *redis.SliceCmd
	var reserved []string
	for i := range a.SKUs {
		reserved = append(reserved, a.SKUs[i].reservedFields()...)
	}
	_, err := c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, c.lua.Keys.Meta(a.Lane, a.ID), metaFields(a)...)
		stock = p.HGetAll(ctx, c.lua.Keys.Stock(a.Lane, a.ID))
		paid = p.HGetAll(ctx, c.lua.Keys.Paid(a.Lane, a.ID))
		if len(reserved) > 0 {
			members = p.HMGet(ctx, c.lua.Keys.Bought(a.Lane, a.ID), reserved...)
		}
		return nil
	})
	if err != nil && err != redis.Nil { //nolint:errorlint // go-redis returns it bare
		return nil, fmt.Errorf("read counts of activity %s: %w", a.ID, err)
	}
	r := newRemaining(a, meta.Val())
	if r.stock, err = lua.ParseCounts(stock.Val()); err != nil {
		return nil, err
	}
	if r.members, err = counted(reserved, members); err != nil {
		return nil, err
	}
	r.paid, err = lua.ParseCounts(paid.Val())
	return r, err
}

// SKU returns how many units of a sku are left in total.
func (r *Remaining) SKU(sku string) int64 { return r.stock[sku] }

// At returns how many units of a sku are left at a point.
func (r *Remaining) At(sku, point string) int64 {
	field := lua.StockField(sku, point)
	if r.kept[field] {
		return 0
	}
	return r.stock[field]
}

// PaidAt returns how many units of a sku at a point are paid.
func (r *Remaining) PaidAt(sku, point string) int64 { return r.paid[lua.StockField(sku, point)] }
