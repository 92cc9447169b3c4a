package seckill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
)

// comparison is how many tokens and counts were found wrong.
type comparison struct{ missing, stale, bought int64 }

// comparer compares the tokens and counts of one activity. It reads both stores in pages with no
// fence, which finds suspects; only those are looked at again behind the fence, a few at a time.
type comparer struct {
	*Auditor
	a      *Activity
	epoch  int64
	mend   bool
	queued map[order.Number]order.Entry // of the activity's queue and dead entries
	byUser map[string][]order.Number    // the same
	found  comparison
}

const (
	// suspectPage bounds how many suspects are looked at behind one fence.
	suspectPage = 200
	// comparePage is how many fields of a hash are read at once.
	comparePage = 2000
)

// compare finds tokens and counts that are wrong, and corrects them if it is to mend.
func (u *Auditor) compare(ctx context.Context, id string, mend bool) (comparison, error) {
	a, err := u.find(ctx, id)
	if err != nil {
		return comparison{}, err
	}
	c := &comparer{Auditor: u, a: a, mend: mend, queued: map[order.Number]order.Entry{}, byUser: map[string][]order.Number{}}
	meta, err := u.lua.Redis.HGet(ctx, u.lua.Keys.Meta(a.Lane, id), "epoch").Result()
	if err != nil {
		return comparison{}, fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	if c.epoch, err = strconv.ParseInt(meta, 10, 64); err != nil {
		return comparison{}, fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	note := func(entries []order.Entry) error {
		for _, e := range entries {
			c.queued[e.Number] = e
			c.byUser[e.User] = append(c.byUser[e.User], e.Number)
		}
		return nil
	}
	if err := order.EachDead(ctx, u.lua, a.Lane, id, note); err != nil {
		return comparison{}, err
	}
	if err := order.EachQueued(ctx, u.lua, a.Lane, id, note); err != nil {
		return comparison{}, err
	}
	if err := c.compareTokens(ctx); err != nil {
		return comparison{}, err
	}
	if err := c.compareBought(ctx); err != nil {
		return comparison{}, err
	}
	if mend && c.found != (comparison{}) {
		u.log.WarnContext(ctx, "tokens and counts repaired", "activity_id", id,
			"tokens_restored", c.found.missing, "tokens_dropped", c.found.stale, "counts_corrected", c.found.bought)
	}
	return c.found, nil
}

// compareTokens looks for orders that lack their token, and for tokens that no order has.
func (c *comparer) compareTokens(ctx context.Context) error {
	var suspects []order.Number
	lacking := func(numbers []order.Number) error {
		tokens, err := c.tokensOf(ctx, c.a.Lane, c.a.ID, numbers)
		for _, n := range numbers {
			if _, ok := tokens[n]; !ok {
				suspects = append(suspects, n)
			}
		}
		return err
	}
	err := order.EachOf(ctx, c.db.Read, c.a.ID, order.Unpaid, func(page []order.Stored) error {
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
				continue // nothing that any order would give back
			}
			if _, waits := c.queued[n]; !waits {
				numbers = append(numbers, n)
			}
		}
		states, err := order.States(ctx, c.db.Read, c.a.ID, numbers)
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
		if err := c.fenced(ctx, func(ctx context.Context, tx *sqlx.Tx) error { return c.mendTokens(ctx, tx, page) }); err != nil {
			return err
		}
	}
	return nil
}

// eachField calls fn with the fields and values of a hash, in pages; a field may come twice.
func (c *comparer) eachField(ctx context.Context, key string, fn func(fields, values []string) error) error {
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		flat, next, err := c.lua.Redis.HScan(ctx, key, cursor, "", comparePage).Result()
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		cursor = next
		fields, values := make([]string, 0, len(flat)/2), make([]string, 0, len(flat)/2)
		for i := 0; i+1 < len(flat); i += 2 {
			fields, values = append(fields, flat[i]), append(values, flat[i+1])
		}
		if err := fn(fields, values); err != nil {
			return err
		}
	}
	return nil
}

// fenced runs fn while no order of the activity is stored or cancelled. What it found is counted
// once, however often it is tried.
func (c *comparer) fenced(ctx context.Context, fn func(ctx context.Context, tx *sqlx.Tx) error) error {
	before := c.found
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		c.found = before
		if err := fence(ctx, tx, c.a.ID); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, fenceWithin)
		defer cancel()
		return fn(ctx, tx)
	})
}

// mendTokens looks at suspects again, behind the fence, and restores and drops tokens if it is to.
func (c *comparer) mendTokens(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	// The states before the outbox: paying doesn't pass the fence, and an order that is paid in
	// between has its confirm there.
	states, err := order.States(ctx, tx, c.a.ID, numbers)
	if err != nil {
		return err
	}
	pending, err := order.PendingOf(ctx, tx, numbers)
	if err != nil {
		return err
	}
	tokens, err := c.tokensOf(ctx, c.a.Lane, c.a.ID, numbers)
	if err != nil {
		return err
	}
	entries := make([]order.Entry, 0, len(numbers))
	for _, n := range numbers {
		e, waits := c.queued[n]
		if !waits {
			e = order.Entry{Number: n, Activity: c.a.ID, User: tokens[n].user}
		}
		entries = append(entries, e)
	}
	records, err := order.Records(ctx, c.lua, c.a.Lane, entries)
	if err != nil {
		return err
	}
	cached := make(map[order.Number]*order.Order, len(records))
	for _, o := range records {
		cached[o.Number] = o
	}
	restore := map[string]string{}
	var drop []string
	for _, n := range numbers {
		_, held := tokens[n]
		state, stored := states[n]
		_, waits := c.queued[n]
		o := cached[n]
		switch {
		case !held && stored && state.Status == order.Unpaid:
			restore[n.String()] = heldToken(state.SKU, state.Point, state.Quantity, state.User)
		case !held && !stored && o != nil:
			restore[n.String()] = heldToken(o.Items[0].SKU, o.Point, o.Items[0].Quantity, o.User)
		case held && !pending[n] && o == nil && (stored && state.Status != order.Unpaid || !stored && !waits):
			drop = append(drop, n.String())
		}
	}
	c.found.missing += int64(len(restore))
	c.found.stale += int64(len(drop))
	if !c.mend || len(restore)+len(drop) == 0 {
		return nil
	}
	ok, err := c.lua.Repair(ctx, c.a.Lane, c.a.ID, c.epoch, 0, restore, drop, nil)
	if err == nil && !ok {
		return errNotLoaded
	}
	return err
}

// compareBought looks for counts under a limit that are not what SQL has counted.
func (c *comparer) compareBought(ctx context.Context) error {
	var suspects []string
	key := c.lua.Keys.Bought(c.a.Lane, c.a.ID)
	limited := c.a.limited()
	if len(limited) == 0 {
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
	for _, counted := range limited {
		err := order.EachBought(ctx, c.db.Read, c.a.ID, counted, func(page []order.BoughtCount) error {
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
	if err := c.eachHeld(ctx, func(tokens map[order.Number]token) error {
		var fields []string
		for _, t := range tokens {
			for _, counted := range limited {
				if counted == order.CountedAll || counted == order.CountedSKU(t.sku) {
					fields = append(fields, counted+":"+t.user)
				}
			}
		}
		return lacking(fields)
	}); err != nil {
		return err
	}
	err := c.eachField(ctx, key, func(fields, values []string) error {
		has, err := order.BoughtOf(ctx, c.db.Read, c.a.ID, fields)
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
	for page := range slices.Chunk(slices.Compact(suspects), suspectPage) {
		// Most are orders on their way to SQL: they are told without the fence.
		wrong, err := c.wrongBought(ctx, c.db.Read, page)
		if err != nil || len(wrong) == 0 {
			if err != nil {
				return err
			}
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

// eachHeld calls fn with the tokens of orders that Redis counts and SQL may not: those in the queue,
// and cancelled ones whose return is pending.
func (c *comparer) eachHeld(ctx context.Context, fn func(map[order.Number]token) error) error {
	page := func(numbers []order.Number) error {
		tokens, err := c.tokensOf(ctx, c.a.Lane, c.a.ID, numbers)
		if err != nil {
			return err
		}
		return fn(tokens)
	}
	for numbers := range slices.Chunk(slices.Collect(maps.Keys(c.queued)), comparePage) {
		if err := page(numbers); err != nil {
			return err
		}
	}
	return order.EachPendingReturn(ctx, c.db.Read, c.a.ID, func(returns []order.Stored) error {
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
	if !c.mend || len(wrong) == 0 {
		return nil
	}
	ok, err := c.lua.RepairBought(ctx, c.a.Lane, c.a.ID, c.epoch, wrong)
	if err == nil && !ok {
		return errNotLoaded
	}
	return err
}

// wrongBought returns those of the counts that are not what SQL has, with what Redis counts besides:
// orders that SQL doesn't have yet, and cancelled or failed ones whose token is still there. A count
// that changes meanwhile is left out.
func (c *comparer) wrongBought(ctx context.Context, q sqlx.QueryerContext, fields []string) ([]lua.BoughtRepair, error) {
	key := c.lua.Keys.Bought(c.a.Lane, c.a.ID)
	before, err := c.read(ctx, key, fields)
	if err != nil {
		return nil, err
	}
	want, err := order.BoughtOf(ctx, q, c.a.ID, fields)
	if err != nil {
		return nil, err
	}
	users := map[string]bool{}
	for _, field := range fields {
		if _, user, ok := order.SplitBought(field); ok {
			users[user] = true
		}
	}
	var waiting []order.Number
	for user := range users {
		waiting = append(waiting, c.byUser[user]...)
	}
	more, err := order.CountedByToken(ctx, q, c.lua, c.a.Lane, c.a.ID, users, waiting)
	if err != nil {
		return nil, err
	}
	numbers := make([]order.Number, 0, len(more))
	for n := range more {
		numbers = append(numbers, n)
	}
	tokens, err := c.tokensOf(ctx, c.a.Lane, c.a.ID, numbers)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		want[order.CountedAll+":"+t.user] += t.quantity
		want[order.CountedSKU(t.sku)+":"+t.user] += t.quantity
	}
	after, err := c.read(ctx, key, fields)
	if err != nil {
		return nil, err
	}
	var wrong []lua.BoughtRepair
	for i, field := range fields {
		from, _ := before[i].(string)
		units, _ := strconv.ParseInt(from, 10, 64)
		if before[i] != after[i] || units == want[field] {
			continue
		}
		wrong = append(wrong, lua.BoughtRepair{Field: field, From: from, To: want[field]})
	}
	return wrong, nil
}
