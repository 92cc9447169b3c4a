package inventory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/limitkey"
)

// queuedBy is how long before a comparison an order was placed at the latest that the comparison must have found in the
// queue. It bounds how much the clocks may differ.
const queuedBy = time.Minute

// compareHolds finds orders that hold units but have no hold, and holds of orders that hold none.
func (c *comparer) compareHolds(ctx context.Context) error {
	var suspects []order.Number
	lacking := func(numbers []order.Number) error {
		holds, err := c.holdsOf(ctx, c.a.Lane, c.a.ID, numbers)
		for _, n := range numbers {
			if holds[n].Quantity == 0 { // there is none, or it can't be read
				suspects = append(suspects, n)
			}
		}
		return err
	}
	err := eachWithStatus(ctx, c.db.Bulk(ctx), c.a.ID, order.Unpaid, func(page []order.Stored) error {
		numbers := make([]order.Number, len(page))
		for i := range page {
			numbers[i] = page[i].Number
		}
		return lacking(numbers)
	})
	if err != nil {
		return err
	}
	for page := range slices.Chunk(slices.Collect(maps.Keys(c.queued)), comparePage) {
		if err := lacking(page); err != nil {
			return err
		}
	}
	err = c.eachField(ctx, c.lua.Keys.Held(c.a.Lane, c.a.ID), func(fields []string, _ []string) error {
		numbers := make([]order.Number, 0, len(fields))
		for _, field := range fields {
			n, err := order.ParseNumber(field)
			if err != nil {
				continue // not an order number, so no order can return it
			}
			if _, waits := c.queued[n]; !waits {
				numbers = append(numbers, n)
			}
		}
		states, err := statesOf(ctx, c.db.Bulk(ctx), c.a.ID, numbers)
		for _, n := range numbers {
			if states[n].Status != order.Unpaid {
				suspects = append(suspects, n)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(suspects)
	for page := range slices.Chunk(slices.Compact(suspects), suspectPage) {
		if err := c.fenced(ctx, func(ctx context.Context, tx *sqlx.Tx) error {
			return c.mendHolds(ctx, tx, page)
		}); err != nil {
			return err
		}
	}
	return nil
}

// mendHolds compares suspects again, behind the fence, and restores and removes holds if the comparer repairs.
func (c *comparer) mendHolds(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	// The states are read before the outbox: the fence doesn't stop payments, and an order that is paid
	// between the two reads has its confirm in the outbox.
	states, err := statesOf(ctx, tx, c.a.ID, numbers)
	if err != nil {
		return err
	}
	pending, err := pendingOf(ctx, tx, numbers)
	if err != nil {
		return err
	}
	holds, err := c.holdsOf(ctx, c.a.Lane, c.a.ID, numbers)
	if err != nil {
		return err
	}
	entries := make([]order.Entry, 0, len(numbers))
	for _, n := range numbers {
		alone := order.Entry{Number: n, Activity: c.a.ID, User: holds[n].User} // that waits nowhere
		entries = append(entries, cmp.Or(c.queued[n], alone))
	}
	records, err := cachedOrders(ctx, c.lua, c.a.Lane, entries)
	if err != nil {
		return err
	}
	cached := make(map[order.Number]*order.Order, len(records))
	for _, o := range records {
		cached[o.Number] = o
	}
	restore := map[string]string{}
	drop, lost := []string(nil), []order.Number(nil) // lost are the holds of stored orders
	for _, n := range numbers {
		hold, held := holds[n]
		spoiled := held && hold.Quantity == 0
		state, stored := states[n]
		_, waits := c.queued[n]
		o := cached[n]
		switch {
		case spoiled && (stored && state.Status == order.Unpaid || o != nil):
			drop = append(drop, n.String()) // the next comparison restores it
		case !held && stored && state.Status == order.Unpaid:
			lost = append(lost, n)
		case !held && !stored && o != nil:
			restore[n.String()] = o.Held().String()
		case held && !pending[n] && o == nil && stored && state.Status != order.Unpaid:
			c.found.stale++
			drop = append(drop, n.String())
		case held && !pending[n] && o == nil && !stored && !waits:
			c.found.stale++
			c.found.unexplained++
			if c.mend == mendAll {
				drop = append(drop, n.String())
			}
		case held && !stored && !waits && o != nil && int64(o.PlacedAt) < c.began.Add(-queuedBy).UnixMilli():
			c.found.unexplained++
		}
	}
	if err := limitkey.AddHolds(ctx, tx, restore, lost); err != nil {
		return err
	}
	c.found.missing += int64(len(restore))
	if !c.repairs() || len(restore)+len(drop) == 0 {
		return nil
	}
	c.found.mended += int64(len(restore) + len(drop))
	ok, err := c.lua.Repair(ctx, c.a.Lane, c.a.ID, c.epoch, 0, restore, drop, nil)
	if err == nil && !ok {
		return errNotLoaded
	}
	return err
}
