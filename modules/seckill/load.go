package seckill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/sqldb"
)

// ErrLoaded says that an activity is loaded already.
var ErrLoaded = errors.New("the activity is loaded")

// Loader brings activities from SQL into Redis. Publish, start, reload and preheat all come here.
type Loader struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	log    *slog.Logger
	faults order.Faults
}

// NewLoader makes a loader.
func NewLoader(p order.Parts) *Loader {
	return &Loader{db: p.DB, lua: p.Lua, log: p.Log, faults: p.Faults}
}

// Load fills an activity's keys from SQL and opens (or, offline, closes) it. While it reads SQL
// and fills Redis it holds the activity's stock rows, so that no order moves or is cancelled under
// it, and it raises their epoch, so that what others read from Redis before is not written after.
// ErrLoaded means that there was nothing to do; lua.ErrSuperseded that another load overtook it.
func (l *Loader) Load(ctx context.Context, id string) error {
	var a *Activity
	var epoch int64
	err := l.db.InSnapshot(ctx, func(tx *sqlx.Tx) error {
		var err error
		if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch + 1 WHERE activity_id = ?`, id); err != nil {
			return fmt.Errorf("fence activity %s: %w", id, err)
		}
		if a, err = selectActivity(ctx, tx, id); err != nil {
			return err
		}
		if a == nil || a.Lane == 0 || len(a.SKUs) == 0 {
			return fmt.Errorf("load activity %s: it is not published", id)
		}
		if a.RetiredMS > 0 {
			return ErrRetired
		}
		epoch = a.SKUs[0].Stock[0].Epoch
		begun, err := l.lua.LoadBegin(ctx, a.Lane, id, epoch)
		if err != nil {
			return err
		}
		if !begun {
			return ErrLoaded
		}
		if err := l.faults.After("load_begin"); err != nil {
			return err
		}
		return l.fill(ctx, tx, a, epoch)
	})
	if lua.IsFull(err) { // half an activity is no use, and its memory is
		err = errors.Join(err, l.lua.LoadGiveUp(ctx, a.Lane, id, epoch))
	}
	if err != nil {
		return fmt.Errorf("load activity %s: %w", id, err)
	}
	if err := l.faults.After("load_commit"); err != nil {
		return err
	}
	// It opens after the commit: had the commit failed, the old epoch would still be good, and an
	// open activity would sell what a mover is just storing.
	if err := l.lua.LoadOpen(ctx, a.Lane, id, epoch, a.meta()); err != nil {
		return fmt.Errorf("load activity %s: %w", id, err)
	}
	l.log.InfoContext(ctx, "activity loaded", "activity_id", id, "lane", a.Lane, "epoch", epoch)
	return l.closeOffline(ctx, a)
}

// closeOffline closes an activity that was taken offline while it was loaded: then nothing was
// there to be closed, and the load opened what it had read before.
func (l *Loader) closeOffline(ctx context.Context, a *Activity) error {
	var state State
	if err := l.db.Write.GetContext(ctx, &state, `SELECT state FROM activities WHERE activity_id = ?`, a.ID); err != nil {
		return fmt.Errorf("select state of activity %s: %w", a.ID, err)
	}
	if a.State != Published || state == Published {
		return nil
	}
	if _, err := l.lua.SetState(ctx, a.Lane, a.ID, lua.StateClosed); err != nil {
		return fmt.Errorf("load activity %s: %w", a.ID, err)
	}
	return nil
}

// fill writes everything that Redis has to know of the activity.
func (l *Loader) fill(ctx context.Context, tx *sqlx.Tx, a *Activity, epoch int64) error {
	s := newSums(a)
	pending, err := order.PendingReturns(ctx, tx, a.ID)
	if err != nil {
		return err
	}
	for n, r := range pending {
		s.pendingReturn(n, r)
	}
	write := func(field lua.LoadField, pairs []string) error {
		if len(pairs) == 0 {
			return nil
		}
		return l.lua.LoadFill(ctx, a.Lane, a.ID, epoch, field, pairs)
	}
	err = order.EachStored(ctx, tx, a.ID, func(page []order.Stored) error {
		for i := range page {
			s.stored(&page[i])
		}
		if err := write(lua.LoadTasks, s.tasks.take()); err != nil {
			return err
		}
		return write(lua.LoadHeld, s.held.take())
	})
	if err != nil {
		return err
	}
	if err := l.queued(ctx, tx, a, s); err != nil {
		return err
	}
	changes, err := appliedChanges(ctx, tx, a.ID)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		field lua.LoadField
		pairs []string
	}{
		{lua.LoadTasks, s.tasks.take()},
		{lua.LoadHeld, s.held.take()},
		{lua.LoadBought, s.boughtPairs()},
		{lua.LoadPaid, s.paidPairs()},
		{lua.LoadStock, s.stockPairs()},
		{lua.LoadChanges, changes},
	} {
		if err := write(part.field, part.pairs); err != nil {
			return err
		}
	}
	return nil
}

// queued counts orders that are still in the lane's queue and that SQL doesn't have: there are
// some where Redis lost the activity but not the lane.
func (l *Loader) queued(ctx context.Context, tx *sqlx.Tx, a *Activity, s *sums) error {
	// In one step: an entry that goes from queue to dead or back meanwhile must be counted once.
	var queue *redis.StringSliceCmd
	var dead *redis.MapStringStringCmd
	err := l.lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		queue = p.LRange(ctx, l.lua.Keys.LockLog(a.Lane), 0, -1)
		dead = p.HGetAll(ctx, l.lua.Keys.Dead(a.Lane))
		return nil
	})
	if err != nil {
		return fmt.Errorf("read queue and dead entries of lane %d: %w", a.Lane, err)
	}
	entries := order.EntriesOf(a.ID, queue.Val(), dead.Val())
	missing, err := order.Missing(ctx, tx, entries)
	if err != nil {
		return err
	}
	orders, err := order.Records(ctx, l.lua, a.Lane, slices.Collect(maps.Values(missing)))
	if err != nil {
		return err
	}
	for _, o := range orders {
		s.queued(o)
	}
	return nil
}

// pairs are field, value, field, value, … for a hash.
type pairs []string

func (p *pairs) add(field, value string) { *p = append(*p, field, value) }

// take returns what was gathered and starts anew.
func (p *pairs) take() []string {
	taken := *p
	*p = nil
	return taken
}

// sums is what the orders of an activity add up to.
type sums struct {
	a       *Activity
	pending map[order.Number]bool
	gone    map[string]int64 // units by stock field that are in orders Redis must not sell again
	paid    map[string]int64 // units by stock field
	bought  map[string]int64 // units by bought field
	tasks   pairs
	held    pairs
}

func newSums(a *Activity) *sums {
	return &sums{a: a, pending: map[order.Number]bool{}, gone: map[string]int64{}, paid: map[string]int64{}, bought: map[string]int64{}}
}

// pendingReturn: the order is cancelled, its units and counts come back when its return is
// carried out, by its token.
func (s *sums) pendingReturn(n order.Number, r order.Stored) {
	s.pending[n] = true
	s.gone[stockField(r.SKU, r.Point)] += r.Quantity
	s.count(r.User, r.SKU, r.Quantity)
	s.held.add(n.String(), heldToken(r.SKU, r.Point, r.Quantity, r.User))
}

// stored: an order that SQL has. Its units stand in activity_stock.sold already.
func (s *sums) stored(o *order.Stored) {
	state := lua.TaskStored
	if o.Status == order.Failed {
		state = lua.TaskFailed
	}
	if hash := order.TaskHash(o.Task); hash != "" {
		s.tasks.add(hash, lua.Task{Number: o.Number.String(), State: state, Digest: o.Digest, Reason: failReason(o)}.String())
	}
	switch o.Status {
	case order.Unpaid:
		s.held.add(o.Number.String(), heldToken(o.SKU, o.Point, o.Quantity, o.User))
		s.count(o.User, o.SKU, o.Quantity)
	case order.Paid, order.Refunded:
		s.paid[stockField(o.SKU, o.Point)] += o.Quantity
		s.count(o.User, o.SKU, o.Quantity)
	case order.Cancelled, order.Failed:
	}
}

func failReason(o *order.Stored) string {
	if o.Status == order.Failed {
		return o.Reason
	}
	return ""
}

// queued: an order that only Redis has.
func (s *sums) queued(o *order.Order) {
	it := o.Items[0]
	s.gone[stockField(it.SKU, o.Point)] += it.Quantity
	s.count(o.User, it.SKU, it.Quantity)
	s.held.add(o.Number.String(), heldToken(it.SKU, o.Point, it.Quantity, o.User))
	if hash := order.TaskHash(o.Task); hash != "" {
		s.tasks.add(hash, lua.Task{Number: o.Number.String(), State: lua.TaskSubmitted, Digest: o.Digest}.String())
	}
}

func (s *sums) count(user, sku string, quantity int64) {
	if s.a.PurchaseLimit >= 0 {
		s.bought["a:"+user] += quantity
	}
	if g, ok := s.a.sku(sku); ok && g.PurchaseLimit >= 0 {
		s.bought["s:"+sku+":"+user] += quantity
	}
}

func (s *sums) boughtPairs() []string { return intPairs(s.bought) }
func (s *sums) paidPairs() []string   { return intPairs(s.paid) }

// stockPairs is what is left: total − sold − what is gone, per point and in all.
func (s *sums) stockPairs() []string {
	left := map[string]int64{}
	for _, g := range s.a.SKUs {
		for _, p := range g.Stock {
			field := stockField(g.SKU, p.Point)
			remaining := p.Total - p.Sold - s.gone[field]
			left[field] = remaining
			left[g.SKU] += remaining
		}
	}
	return intPairs(left)
}

func intPairs(m map[string]int64) []string {
	flat := make([]string, 0, 2*len(m))
	for field, n := range m {
		flat = append(flat, field, strconv.FormatInt(n, 10))
	}
	return flat
}
