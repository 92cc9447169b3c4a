package inventory

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/order/unstored"
)

// readAhead reads the queue to its end, and the activity's dead entries if the lane has many.
func (a *accountant) readAhead(ctx context.Context) error {
	for {
		raws, err := a.queue.Next(ctx)
		if err != nil {
			return err
		}
		if len(raws) == 0 {
			break
		}
		if a.waits, err = a.candidates(ctx, a.waits, raws); err != nil {
			return err
		}
	}
	n, err := a.lua.Redis.HLen(ctx, a.lua.Keys.Dead(a.lane)).Result()
	if err != nil {
		return fmt.Errorf("count dead entries of lane %d: %w", a.lane, err)
	}
	if a.big = n > maxDeadAtOnce; !a.big {
		return nil
	}
	return queue.EachDead(ctx, a.lua, a.lane, a.acc.activity.ID, func(entries []order.Entry) error {
		if len(a.dead)+len(entries) > maxFenced {
			return fmt.Errorf("%w: the sale has more than %d dead entries", errMoving, maxFenced)
		}
		a.dead, err = a.holding(ctx, a.dead, entries)
		return err
	})
}

// candidates appends the activity's entries among raws, which were read from the queue.
func (a *accountant) candidates(ctx context.Context, to []heldEntry, raws []string) ([]heldEntry, error) {
	var entries []order.Entry
	var places []int64
	for i, raw := range raws {
		e, err := order.ParseEntry(raw)
		switch {
		case err != nil:
			a.acc.unknown++ // the mover makes it a dead entry
		case e.Activity == a.acc.activity.ID:
			entries, places = append(entries, e), append(places, a.read+int64(i))
		}
	}
	a.read += int64(len(raws))
	from := len(to)
	to, err := a.holding(ctx, to, entries)
	if err != nil {
		return nil, err
	}
	for i := range places {
		to[from+i].at = places[i]
	}
	return to, nil
}

// holding appends entries with what their holds hold, or their records if the holds are lost.
func (a *accountant) holding(ctx context.Context, to []heldEntry, entries []order.Entry) ([]heldEntry, error) {
	holds, err := a.holds(ctx, a.lane, a.acc.activity.ID, entries)
	if err != nil {
		return nil, err
	}
	var lost []order.Entry
	lostAt := map[order.Number]int{}
	for _, e := range entries {
		t, present := holds[e.Number]
		if !present {
			lost = append(lost, e)
			lostAt[e.Number] = len(to)
		}
		to = append(to, heldEntry{entry: e, holds: t, present: present})
	}
	found, err := unstored.Read(ctx, a.lua.Redis, a.lua.Keys, a.lane, lost)
	if err != nil {
		return nil, err
	}
	for i, cached := range found {
		w, o := &to[lostAt[lost[i].Number]], cached.Order
		if w.unknown = cached.Err != nil && o == nil; o != nil {
			w.holds = o.Held()
		}
	}
	return to, nil
}

// pendingReturns returns the fields in the held hash of cancelled orders whose hold may still be there.
func (a *accountant) pendingReturns(ctx context.Context, view *sqlx.Tx) (fields []string, err error) {
	err = eachPendingReturn(ctx, view, a.acc.activity.ID, func(page []order.Stored) error {
		for i := range page {
			fields = append(fields, page[i].Number.String())
		}
		if len(fields) > maxFenced {
			return fmt.Errorf("%w: the units of more than %d orders are being returned", errMoving, maxFenced)
		}
		return nil
	})
	return fields, err
}

// readRedis reads, in one step, the stock, the stock changes, the holds of pending returns, the entries
// appended to the queue, and the dead entries if the lane has few.
func (a *accountant) readRedis(ctx context.Context, returns []string) error {
	id, keys := a.acc.activity.ID, a.lua.Keys
	var meta *redis.SliceCmd
	var stock, changes, list, dead *redis.MapStringStringCmd
	var rest *redis.StringSliceCmd
	var held []*redis.SliceCmd
	err := a.lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, keys.Meta(a.lane, id), "state", "epoch", "repairs")
		stock = p.HGetAll(ctx, keys.Stock(a.lane, id))
		changes = p.HGetAll(ctx, keys.Changes(a.lane, id))
		list = p.HGetAll(ctx, keys.Waitlist(a.lane, id))
		rest = a.queue.Rest(ctx, p)
		if !a.big {
			dead = p.HGetAll(ctx, keys.Dead(a.lane))
		}
		for part := range slices.Chunk(returns, fieldsAtOnce) {
			held = append(held, p.HMGet(ctx, keys.Held(a.lane, id), part...))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read activity %s from redis: %w", id, err)
	}
	if err := a.acc.readMeta(meta.Val()); err != nil {
		return err
	}
	if a.acc.stock, err = lua.ParseCounts(stock.Val()); err != nil {
		return err
	}
	a.acc.offered = lua.ParseWaitlist(list.Val(), a.acc.epoch).Units()
	if err := a.acc.readChanging(changes.Val()); err != nil {
		return err
	}
	a.acc.returning = map[string]int64{}
	for _, cmd := range held {
		for _, value := range cmd.Val() {
			text, _ := value.(string)
			if t, ok := lua.ParseHeld(text); ok {
				addUnits(a.acc.returning, t.SKU, t.Point, t.Quantity)
			}
		}
	}
	gone, err := a.readRest(ctx, rest.Val())
	if err != nil {
		return err
	}
	if a.big {
		return a.stillDead(ctx, gone)
	}
	if a.dead, err = a.holding(ctx, nil, queue.DeadOf(id, dead.Val())); err != nil {
		return err
	}
	return a.requireDead(ctx)
}

// requireDead returns errMoving if a dead entry without a hold is no longer dead: then it was discarded or
// replayed after it was read, and that may have removed the hold.
func (a *accountant) requireDead(ctx context.Context) error {
	var ids []string
	for _, d := range a.dead {
		if !d.present {
			ids = append(ids, queue.DeadID(d.entry))
		}
	}
	values, err := a.Auditor.read(ctx, a.lua.Keys.Dead(a.lane), ids)
	if err != nil {
		return err
	}
	if slices.Contains(values, nil) {
		return errMoving
	}
	return nil
}

// readRest adds the entries that were appended to the queue since it was read. It removes and returns the entries that
// have left the queue since then.
func (a *accountant) readRest(ctx context.Context, raws []string) (gone []heldEntry, err error) {
	rest, left, ok := a.queue.Follow(raws)
	if !ok {
		return nil, errMoving
	}
	taken, known := a.read-left, len(a.waits)
	waits, err := a.candidates(ctx, a.waits, rest)
	if err != nil {
		return nil, err
	}
	for _, w := range waits[known:] {
		if !w.present && w.holds.Quantity == 0 { // it may have left the queue before its hold was read
			return nil, errMoving
		}
	}
	at := 0
	for at < len(waits) && waits[at].at < taken {
		at++
	}
	gone, a.waits = waits[:at], waits[at:]
	return gone, nil
}

// stillDead checks many dead entries again: it keeps those that are still dead, and adds the entries of gone,
// which have left the queue, that are dead now.
func (a *accountant) stillDead(ctx context.Context, gone []heldEntry) error {
	a.dead = append(a.dead, gone...)
	ids := make([]string, len(a.dead))
	for i, d := range a.dead {
		ids[i] = queue.DeadID(d.entry)
	}
	values, err := a.Auditor.read(ctx, a.lua.Keys.Dead(a.lane), ids)
	if err != nil {
		return err
	}
	still := a.dead[:0]
	for i, d := range a.dead {
		if values[i] != nil {
			still = append(still, d)
		}
	}
	a.dead = still
	return nil
}

func (acc *account) readMeta(meta []any) (err error) {
	if meta[0] == nil || meta[0] == string(lua.StateLoading) {
		return errNotLoaded
	}
	if acc.epoch, err = strconv.ParseInt(fmt.Sprint(meta[1]), 10, 64); err != nil {
		return fmt.Errorf("read epoch of activity %s: %w", acc.activity.ID, err)
	}
	if meta[2] != nil {
		if acc.repairs, err = strconv.ParseInt(fmt.Sprint(meta[2]), 10, 64); err != nil {
			return fmt.Errorf("read repairs of activity %s: %w", acc.activity.ID, err)
		}
	}
	if acc.epoch != acc.activity.Epoch() { // no load begins behind the fence
		return errOtherLoad
	}
	return nil
}

// readChanging sets acc.changing to the deltas of the stock changes that Redis has applied, by change id.
func (acc *account) readChanging(changes map[string]string) error {
	acc.changing = map[string]int64{}
	for id, value := range changes {
		if value == lua.ChangeRefused {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("read stock change %s: %w", id, err)
		}
		acc.changing[id] = n
	}
	return nil
}

// cachedOrders reads the orders of entries from Redis. It omits those that Redis doesn't have, or that
// can't be read.
func cachedOrders(ctx context.Context, s *lua.Scripts, lane int, entries []order.Entry) ([]*order.Order, error) {
	found, err := unstored.Read(ctx, s.Redis, s.Keys, lane, entries)
	if err != nil {
		return nil, err
	}
	orders := make([]*order.Order, 0, len(found))
	for _, cached := range found {
		if cached.Order != nil {
			orders = append(orders, cached.Order)
		}
	}
	return orders, nil
}
