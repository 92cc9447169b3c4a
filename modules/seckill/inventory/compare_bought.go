package inventory

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/order/queue"
)

// compareBought finds counts under purchase limits that differ from those in SQL.
func (c *comparer) compareBought(ctx context.Context) error {
	var suspects []string
	key := c.lua.Keys.Bought(c.a.Lane, c.a.ID)
	counts := c.a.Counted()
	if len(counts) == 0 {
		return nil
	}
	lacking := func(fields []string) error {
		values, err := c.read(ctx, key, fields)
		for i, value := range values {
			if value == nil {
				suspects = append(suspects, fields[i])
			}
		}
		return err
	}
	for _, counted := range counts {
		err := eachBought(ctx, c.db.Bulk(ctx), c.a.ID, counted, func(page []boughtCount) error {
			var fields []string
			for _, count := range page {
				if count.Units > 0 {
					fields = append(fields, count.Field)
				}
			}
			return lacking(fields)
		})
		if err != nil {
			return err
		}
	}
	if err := c.eachHeld(ctx, func(holds map[order.Number]lua.Held) error {
		var fields []string
		for _, t := range holds {
			for _, counted := range counts {
				if field, units := t.Counted(counted); units > 0 {
					fields = append(fields, field)
				}
			}
		}
		return lacking(fields)
	}); err != nil {
		return err
	}
	err := c.eachField(ctx, key, func(fields, values []string) error {
		has, err := boughtOf(ctx, c.db.Bulk(ctx), c.a.ID, fields)
		for i, field := range fields {
			if strconv.FormatInt(has[field], 10) != values[i] {
				suspects = append(suspects, field)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(suspects)
	return c.checkBought(ctx, slices.Compact(suspects))
}

// checkBought compares suspects again without the fence, since most of them belong to orders that were just being
// stored. It compares suspects that are still wrong a third time, behind the fence.
func (c *comparer) checkBought(ctx context.Context, suspects []string) error {
	for page := range slices.Chunk(suspects, suspectPage) {
		wrong, err := c.wrongBought(ctx, c.db.Read, page)
		if err != nil {
			return err
		}
		if len(wrong) == 0 {
			continue
		}
		fields := make([]string, len(wrong))
		for i := range wrong {
			fields[i] = wrong[i].Field
		}
		err = c.fenced(ctx, func(ctx context.Context, tx *sqlx.Tx) error { return c.mendBought(ctx, tx, fields) })
		if err != nil {
			return err
		}
	}
	return nil
}

// eachHeld calls fn with the holds of orders that Redis counts and SQL may not: the orders of queue and dead
// entries, and cancelled orders whose return is pending.
func (c *comparer) eachHeld(ctx context.Context, fn func(map[order.Number]lua.Held) error) error {
	page := func(numbers []order.Number) error {
		holds, err := c.holdsOf(ctx, c.a.Lane, c.a.ID, numbers)
		if err != nil {
			return err
		}
		return fn(holds)
	}
	for numbers := range slices.Chunk(slices.Collect(maps.Keys(c.queued)), comparePage) {
		if err := page(numbers); err != nil {
			return err
		}
	}
	return eachPendingReturn(ctx, c.db.Read, c.a.ID, func(returns []order.Stored) error {
		numbers := make([]order.Number, len(returns))
		for i := range returns {
			numbers[i] = returns[i].Number
		}
		return page(numbers)
	})
}

func (c *comparer) mendBought(ctx context.Context, tx *sqlx.Tx, fields []string) error {
	wrong, err := c.wrongBought(ctx, tx, fields)
	if err != nil {
		return err
	}
	c.found.bought += int64(len(wrong))
	if !c.repairs() || len(wrong) == 0 {
		return nil
	}
	c.found.mended += int64(len(wrong))
	ok, err := c.lua.RepairBought(ctx, c.a.Lane, c.a.ID, c.epoch, wrong)
	if err == nil && !ok {
		return errNotLoaded
	}
	return err
}

// wrongBought returns the corrections of wrong counts. A count must be the count in SQL, plus the units of orders that
// SQL doesn't have yet, plus the units of cancelled or failed orders whose hold is still there. A count that changes
// meanwhile is left out, and so are the counts of users with a pending restock.
func (c *comparer) wrongBought(
	ctx context.Context, q sqlx.QueryerContext, fields []string,
) ([]lua.BoughtRepair, error) {
	key := c.lua.Keys.Bought(c.a.Lane, c.a.ID)
	before, err := c.read(ctx, key, fields)
	if err != nil {
		return nil, err
	}
	want, err := boughtOf(ctx, q, c.a.ID, fields)
	if err != nil {
		return nil, err
	}
	users := map[string]bool{}
	for _, field := range fields {
		if _, user, ok := lua.ParseBoughtField(field); ok {
			users[user] = true
		}
	}
	waiting, err := c.waitingOf(ctx, users)
	if err != nil {
		return nil, err
	}
	reserves := c.a.Needs.Has(needs.Reserved)
	more, err := countedByHold(ctx, q, c.lua, c.a.Lane, c.a.ID, users, waiting, reserves)
	if err != nil {
		return nil, err
	}
	numbers := make([]order.Number, 0, len(more))
	for n := range more {
		numbers = append(numbers, n)
	}
	holds, err := c.holdsOf(ctx, c.a.Lane, c.a.ID, numbers)
	if err != nil {
		return nil, err
	}
	for _, t := range holds {
		for c, units := range t.Counts() {
			want[lua.BoughtField(c.Counted, c.Name)] += units
		}
	}
	restocked, err := restocking(ctx, q, c.a.ID, users, reserves)
	if err != nil {
		return nil, err
	}
	after, err := c.read(ctx, key, fields)
	if err != nil {
		return nil, err
	}
	var wrong []lua.BoughtRepair
	for i, field := range fields {
		from, _ := before[i].(string)
		units, _ := strconv.ParseInt(from, 10, 64)
		counted, user, _ := lua.ParseBoughtField(field)
		settling := restocked[user] || lua.IsReserved(counted) && len(restocked) > 0
		if before[i] != after[i] || units == want[field] || settling {
			continue
		}
		wrong = append(wrong, lua.BoughtRepair{Field: field, From: from, To: want[field]})
	}
	return wrong, nil
}

// waitingOf returns the numbers of the queue and dead entries of buyers. No entry names a limit key, or says whether
// units are reserved for its buyer: of a sale that has such it returns all, with those that were queued since the
// comparison began.
func (c *comparer) waitingOf(ctx context.Context, buyers map[string]bool) (waiting []order.Number, err error) {
	if c.a.MarksHolds() {
		err = queue.EachQueued(ctx, c.lua, c.a.Lane, c.a.ID, func(entries []order.Entry) error {
			for _, e := range entries {
				waiting = append(waiting, e.Number)
			}
			return nil
		})
		return slices.AppendSeq(waiting, maps.Keys(c.queued)), err
	}
	for user := range buyers {
		waiting = append(waiting, c.byUser[user]...)
	}
	return waiting, nil
}
