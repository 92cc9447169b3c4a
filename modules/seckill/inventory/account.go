package inventory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// account is the state of an activity in both stores at one moment.
type account struct {
	activity  *seckill.Activity
	epoch     int64
	repairs   int64            // how often a repair has added stock
	stock     map[string]int64 // units left in Redis; this and the following are by stock field
	placed    map[string]int64 // units of entries whose order SQL doesn't have
	returning map[string]int64 // units that are still to be returned
	offered   map[string]int64 // units that are offered to buyers who waited
	changing  map[string]int64 // units of stock changes that only one store has; see sumChanging
	pending   int64            // stock changes that are not finished
	stuck     int64            // pending changes older than stuckAfter
	unknown   int64            // entries that can't be read, whose units are not in placed
}

const (
	// maxDeadAtOnce is how many dead entries a lane may have for all of them to be read in one step behind
	// the fence. If there are more, the entries of the activity are read before the fence and checked behind it.
	maxDeadAtOnce = 5000
	// maxFenced bounds the dead entries, and the pending returns, that are read behind the fence.
	maxFenced = 20_000
	// stuckAfter is how long a stock change may be pending: the job that finishes them runs every second.
	stuckAfter = time.Minute
	// fenceWithin bounds the time of the reads behind the fence.
	fenceWithin = 2 * time.Second
)

// accountant computes one account. Data of any size is read before the fence (the queue) or, after it, from
// a read view of the moment of the fence (which orders SQL has). Behind the fence it reads only small data:
// the stock, the entries appended to the queue since, and the holds of pending returns.
type accountant struct {
	*Auditor
	acc   *account
	lane  int
	queue *queue.Reader
	read  int64       // how many entries were read from the queue, of all activities
	waits []heldEntry // the activity's entries in the queue, in its order
	dead  []heldEntry
	big   bool // the lane has more than maxDeadAtOnce dead entries
}

// heldEntry is a queue or dead entry whose order SQL may not have.
type heldEntry struct {
	entry   order.Entry
	at      int64    // its index among the entries that were read from the queue
	holds   lua.Held // from its hold, or from its record if it has no hold
	present bool     // whether it has a hold
	unknown bool     // it has no hold, and a record that can't be read
}

// account computes the account of an activity.
func (au *Auditor) account(ctx context.Context, id string) (*account, error) {
	a, err := au.find(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &accountant{Auditor: au, lane: a.Lane, queue: queue.NewReader(au.lua, a.Lane)}
	c.acc = &account{
		activity: a, stock: map[string]int64{}, placed: map[string]int64{}, returning: map[string]int64{},
		changing: map[string]int64{},
	}
	if err := c.readAhead(ctx); err != nil {
		return nil, err
	}
	view, err := c.fenced(ctx)
	if view != nil {
		defer func() { _ = view.Rollback() }() // a view has nothing to commit
	}
	if err != nil {
		return nil, err
	}
	if err := au.faults.After("account_fence"); err != nil {
		return nil, err
	}
	return c.acc, c.sumPlaced(ctx, view)
}

// find returns an activity that Redis has. If Redis doesn't, or is loading it, the error is errNotLoaded.
func (au *Auditor) find(ctx context.Context, id string) (*seckill.Activity, error) {
	a, err := seckill.ViewActivity(ctx, au.db, id)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, problem.NotFound("activity")
	case a.Lane == 0:
		return nil, errNotLoaded
	}
	state, err := au.lua.Redis.HGet(ctx, au.lua.Keys.Meta(a.Lane, id), "state").Result()
	if errors.Is(err, redis.Nil) || (err == nil && lua.ActivityState(state) == lua.StateLoading) {
		return nil, errNotLoaded
	}
	if err != nil {
		return nil, fmt.Errorf("read state of activity %s: %w", id, err)
	}
	return a, nil
}

// fenced reads the small data of both stores while it locks the activity's stock rows, and opens the read
// view of that moment, which the caller must close. It needs two connections, so only one account at a time
// may run it: several could each hold one connection and wait for the second.
func (a *accountant) fenced(ctx context.Context) (view *sqlx.Tx, err error) {
	select {
	case a.fencing <- struct{}{}:
		defer func() { <-a.fencing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another account: %w", ctx.Err())
	}
	id := a.acc.activity.ID
	err = a.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if view != nil {
			_ = view.Rollback() // of the attempt that InTx retries
		}
		// The view is opened before the fence, since it may wait for a connection. Its first query
		// determines what it shows, and runs behind the fence. At a replica it might lack what was
		// committed while the fence was awaited.
		if view, err = a.db.ViewsFrom(nil).OpenView(ctx); err != nil {
			return err
		}
		if err := order.Fence(ctx, tx, id); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, fenceWithin)
		defer cancel()
		if a.acc.activity, err = seckill.SelectActivity(ctx, view, id); err != nil {
			return err
		}
		returns, err := a.pendingReturns(ctx, view)
		if err != nil {
			return err
		}
		if err := a.readRedis(ctx, returns); err != nil {
			return err
		}
		return a.acc.sumChanging(ctx, view, a.now().UnixMilli())
	})
	return view, err
}

// sumPlaced adds up the units of the entries, each order once: as placed if the view doesn't have the order,
// as returning if the view has it as refused and its hold is still held.
func (a *accountant) sumPlaced(ctx context.Context, view *sqlx.Tx) error {
	counted := map[order.Number]bool{}
	for _, candidates := range [][]heldEntry{a.waits, a.dead} {
		for len(candidates) > 0 {
			page := candidates[:min(fieldsAtOnce, len(candidates))]
			candidates = candidates[len(page):]
			entries := make([]order.Entry, len(page))
			for i := range page {
				entries[i] = page[i].entry
			}
			missing, over, err := missingAndFailed(ctx, view, entries)
			if err != nil {
				return err
			}
			for _, w := range page {
				n := w.entry.Number
				_, placed := missing[n]
				_, refused := over[n]
				switch {
				case counted[n]:
				case placed:
					counted[n] = true
					if w.unknown {
						a.acc.unknown++
					}
					addUnits(a.acc.placed, w.holds.SKU, w.holds.Point, w.holds.Quantity)
				case refused && w.present:
					counted[n] = true
					addUnits(a.acc.returning, w.holds.SKU, w.holds.Point, w.holds.Quantity)
				}
			}
		}
	}
	return nil
}

// sumChanging replaces acc.changing, the deltas that Redis has applied by change id, with the units by stock
// field of pending changes and restocks that one store has applied and the other hasn't yet.
func (acc *account) sumChanging(ctx context.Context, view *sqlx.Tx, nowMS int64) error {
	var changes []PendingChange
	const query = `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity, created_ms FROM stock_outbox
		WHERE state = 'pending' AND activity_id = ? AND (outbox_id > 'change:' AND outbox_id < 'change;'
			OR outbox_id > 'restock:' AND outbox_id < 'restock;')`
	if err := view.SelectContext(ctx, &changes, query, acc.activity.ID); err != nil {
		return fmt.Errorf("select pending stock changes: %w", err)
	}
	applied := acc.changing
	acc.changing = map[string]int64{}
	acc.pending, acc.stuck = int64(len(changes)), 0
	for _, ch := range changes {
		if nowMS-ch.CreatedMS > stuckAfter.Milliseconds() {
			acc.stuck++
		}
		_, inRedis := applied[ch.ID]
		if (ch.Delta > 0 && !inRedis) || (ch.Delta < 0 && inRedis) {
			addUnits(acc.changing, ch.SKU, ch.Point, max(ch.Delta, -ch.Delta))
		}
	}
	return nil
}
