package inventory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/errgroup"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/limitkey"
	"onrush/modules/order/queue"
	"onrush/modules/panics"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
)

// filler writes to Redis what an activity needs to sell, and computes the units left. Of stored orders it
// keeps only sums, so that its memory doesn't grow with their number.
type filler struct {
	loader *Loader
	a      *seckill.Activity
	epoch  int64
	// Unsold units that Redis must not sell, by stock field: of pending returns, queued orders and offers.
	gone   map[string]int64
	unpaid map[string]int64 // units by stock field of unpaid orders
	stored bool             // SQL has orders of the activity
}

func (f *filler) fill(ctx context.Context, view *sqlx.Tx) error {
	if err := f.bought(ctx, view); err != nil {
		return err
	}
	if err := f.orders(ctx, view); err != nil {
		return err
	}
	if err := f.queued(ctx, view); err != nil {
		return err
	}
	changes, err := appliedChanges(ctx, view, f.a.ID)
	if err != nil {
		return err
	}
	list, err := waitlist.Read(ctx, view, f.a)
	if err != nil {
		return err
	}
	for field, units := range list.Units() {
		f.gone[field] += units
	}
	for _, part := range []struct {
		field lua.LoadField
		pairs []string
	}{
		{lua.LoadPaid, f.paid()},
		{lua.LoadStock, f.stock()},
		{lua.LoadChanges, changes},
		{lua.LoadWaitlist, list.Pairs(f.epoch)},
	} {
		if err := f.write(ctx, part.field, part.pairs); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) write(ctx context.Context, field lua.LoadField, pairs []string) error {
	return f.loader.lua.LoadFill(ctx, f.a.Lane, f.a.ID, f.epoch, field, pairs)
}

// whileReading writes the pages that read passes on; it writes one page while read reads the next.
func (f *filler) whileReading(
	ctx context.Context, field lua.LoadField, read func(page func([]string) error) error,
) error {
	work, ctx := errgroup.WithContext(ctx)
	run := func(fn func() error) { // a panic in either goroutine is an error of the load
		work.Go(func() error { return panics.Recovered(fn) })
	}
	pages := make(chan []string, 1)
	run(func() error {
		for page := range pages {
			if err := f.write(ctx, field, page); err != nil {
				return err
			}
		}
		return nil
	})
	run(func() error {
		defer close(pages)
		return read(func(page []string) error {
			select {
			case pages <- page:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	return work.Wait()
}

// bought fills the counts that SQL has.
func (f *filler) bought(ctx context.Context, view *sqlx.Tx) error {
	for _, counted := range f.a.Counted() {
		err := f.whileReading(ctx, lua.LoadBought, func(page func([]string) error) error {
			return eachBought(ctx, view, f.a.ID, counted, func(counts []boughtCount) error {
				var fields pairs
				for _, c := range counts {
					if c.Units > 0 {
						fields.add(c.Field, strconv.FormatInt(c.Units, 10))
					}
				}
				return page(fields)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// orders fills the holds of unpaid orders and of those whose units are still to be returned.
func (f *filler) orders(ctx context.Context, view *sqlx.Tx) error {
	var n int
	const stored = `SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE activity_id = ? LIMIT 1) AS found`
	if err := view.GetContext(ctx, &n, stored, f.a.ID); err != nil {
		return fmt.Errorf("look for orders of %s: %w", f.a.ID, err)
	}
	f.stored = n > 0
	err := f.whileReading(ctx, lua.LoadHeld, func(page func([]string) error) error {
		return eachWithStatus(ctx, view, f.a.ID, order.Unpaid, func(orders []order.Stored) error {
			held, err := limitkey.Holds(ctx, view, f.a.MarksHolds(), orders)
			if err != nil {
				return err
			}
			for i := range orders {
				addUnits(f.unpaid, orders[i].SKU, orders[i].Point, orders[i].Quantity)
			}
			return page(held)
		})
	})
	if err != nil {
		return err
	}
	return eachPendingReturn(ctx, view, f.a.ID, func(returns []order.Stored) error {
		onLoadReturning.Mark()
		var held pairs
		counts := map[string]int64{}
		for i := range returns {
			r := &returns[i]
			addUnits(f.gone, r.SKU, r.Point, r.Quantity)
			hold := lua.HeldOf(r.SKU, r.Point, r.Quantity, r.User)
			held.add(r.Number.String(), hold.String())
			f.count(counts, hold)
		}
		if err := f.write(ctx, lua.LoadHeld, held); err != nil {
			return err
		}
		return f.add(ctx, counts)
	})
}

// queued fills the holds, tasks and counts of orders that are in the lane's queue or among its dead entries
// and that SQL doesn't have. There are such orders if Redis lost the activity but not the lane. The dead
// entries are read first: one that is replayed meanwhile is found again in the queue, and is counted once.
func (f *filler) queued(ctx context.Context, view *sqlx.Tx) error {
	l := f.loader
	seen := map[order.Number]bool{}
	page := func(entries []order.Entry) error {
		missing, err := missingEntries(ctx, view, entries)
		if err != nil {
			return err
		}
		maps.DeleteFunc(missing, func(n order.Number, _ order.Entry) bool { return seen[n] })
		orders, err := cachedOrders(ctx, l.lua, f.a.Lane, slices.Collect(maps.Values(missing)))
		if err != nil {
			return err
		}
		var held, tasks pairs
		counts := map[string]int64{}
		for _, o := range orders {
			onLoadQueued.Mark()
			seen[o.Number] = true
			sku, units := o.Takes()
			addUnits(f.gone, sku, o.Point, units)
			f.count(counts, o.Held())
			held.add(o.Number.String(), o.Held().String())
			if hash := order.TaskHash(o.Task); hash != "" {
				tasks.add(hash, lua.Task{
					Number: o.Number.String(), State: lua.TaskSubmitted, Digest: o.Digest,
				}.String())
			}
		}
		if err := f.write(ctx, lua.LoadHeld, held); err != nil {
			return err
		}
		if err := f.write(ctx, lua.LoadTasks, tasks); err != nil {
			return err
		}
		return f.add(ctx, counts)
	}
	if err := queue.EachDead(ctx, l.lua, f.a.Lane, f.a.ID, page); err != nil {
		return err
	}
	return queue.EachQueued(ctx, l.lua, f.a.Lane, f.a.ID, page)
}

// add adds units that SQL doesn't count to the counts under limits; bought has set what SQL counts.
func (f *filler) add(ctx context.Context, counts map[string]int64) error {
	return f.loader.lua.LoadAdd(ctx, f.a.Lane, f.a.ID, f.epoch, lua.LoadBought, counts)
}

func (f *filler) count(sums map[string]int64, hold lua.Held) {
	for _, counted := range f.a.Counted() {
		if field, units := hold.Counted(counted); units > 0 {
			sums[field] += units
		}
	}
}

// addUnits adds the units of an order to the units of its stock fields; sku and quantity are as of lua.Takes.
func addUnits(to map[string]int64, sku, point string, quantity int64) {
	for of, units := range lua.Takes(sku, quantity) {
		to[lua.StockField(of, point)] += units
	}
}

// paid returns the units that are sold and not unpaid, by stock field.
func (f *filler) paid() []string {
	paid := map[string]int64{}
	for _, g := range f.a.SKUs {
		for _, p := range g.Stock {
			field := lua.StockField(g.SKU, p.Point)
			if units := p.Sold - f.unpaid[field]; units > 0 {
				paid[field] = units
			}
		}
	}
	return intPairs(paid)
}

// stock returns the units left, total − sold − gone, per point and in total.
func (f *filler) stock() []string {
	left := map[string]int64{}
	for _, g := range f.a.SKUs {
		for _, p := range g.Stock {
			field := lua.StockField(g.SKU, p.Point)
			remaining := p.Total - p.Sold - f.gone[field]
			left[field] = remaining
			left[g.SKU] += remaining
		}
	}
	return intPairs(left)
}

// pairs are field, value, field, value, … for a hash.
type pairs []string

func (p *pairs) add(field, value string) { *p = append(*p, field, value) }

func intPairs(m map[string]int64) []string {
	flat := make([]string, 0, 2*len(m))
	for field, n := range m {
		flat = append(flat, field, strconv.FormatInt(n, 10))
	}
	return flat
}
