package seckill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/web"
)

// account is the state of an activity in both stores at one moment.
type account struct {
	activity  *Activity
	epoch     int64
	repairs   int64            // how often its stock was repaired
	stock     map[string]int64 // what Redis has left
	placed    map[string]int64 // units by stock field
	returning map[string]int64
	changing  map[string]int64
}

const (
	// maxDeadAtOnce is how many dead entries of a lane are read in one step behind the fence; of more,
	// those of the activity are read before it, and looked at again behind it.
	maxDeadAtOnce = 5000
	// maxFenced bounds the dead entries, and the pending returns, that are looked at behind the fence.
	maxFenced = 20_000
	// fenceWithin bounds what is done behind the fence.
	fenceWithin = 2 * time.Second
)

// accountant draws up one account. What may be of any size is read before the fence (the queue) or
// from the read view that is opened behind it (which orders SQL has); behind it is read what is
// small: the stock, what was appended to the queue meanwhile, and the tokens of pending returns.
type accountant struct {
	*Auditor
	acc   *account
	lane  int
	queue *order.QueueReader
	read  int64       // how many entries were read from the queue, of all activities
	waits []heldEntry // of the activity, in their order
	dead  []heldEntry
	big   bool // there are many dead entries
}

// heldEntry is a queue or dead entry whose order SQL may not have.
type heldEntry struct {
	entry   order.Entry
	at      int64 // its place among the entries that were read
	holds   token // what its token says, or its record
	present bool  // whether its token is there
}

// account draws up the account of an activity.
func (u *Auditor) account(ctx context.Context, id string) (*account, error) {
	a, err := u.find(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &accountant{Auditor: u, lane: a.Lane, queue: order.NewQueueReader(u.lua, a.Lane)}
	c.acc = &account{activity: a, stock: map[string]int64{}, placed: map[string]int64{}, returning: map[string]int64{}, changing: map[string]int64{}}
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
	if err := u.faults.After("account_fence"); err != nil {
		return nil, err
	}
	return c.acc, c.sumPlaced(ctx, view)
}

// find reads an activity that may be loaded.
func (u *Auditor) find(ctx context.Context, id string) (*Activity, error) {
	a, err := viewActivity(ctx, u.db, id)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, web.NotFound("activity")
	case a.Lane == 0:
		return nil, errNotLoaded
	}
	state, err := u.lua.Redis.HGet(ctx, u.lua.Keys.Meta(a.Lane, id), "state").Result()
	if errors.Is(err, redis.Nil) || (err == nil && state == lua.StateLoading) {
		return nil, errNotLoaded
	}
	if err != nil {
		return nil, fmt.Errorf("read state of activity %s: %w", id, err)
	}
	return a, nil
}

// readAhead reads the queue to its end, and the dead entries where there are many.
func (c *accountant) readAhead(ctx context.Context) error {
	for {
		raws, err := c.queue.Next(ctx)
		if err != nil {
			return err
		}
		if len(raws) == 0 {
			break
		}
		if c.waits, err = c.candidates(ctx, c.waits, raws); err != nil {
			return err
		}
	}
	n, err := c.lua.Redis.HLen(ctx, c.lua.Keys.Dead(c.lane)).Result()
	if err != nil {
		return fmt.Errorf("count dead entries of lane %d: %w", c.lane, err)
	}
	if c.big = n > maxDeadAtOnce; !c.big {
		return nil
	}
	return order.EachDead(ctx, c.lua, c.lane, c.acc.activity.ID, func(entries []order.Entry) error {
		if len(c.dead)+len(entries) > maxFenced {
			return fmt.Errorf("%w: the sale has more than %d dead entries", errMoving, maxFenced)
		}
		c.dead, err = c.holding(ctx, c.dead, entries)
		return err
	})
}

// candidates adds the activity's entries among those read from the queue.
func (c *accountant) candidates(ctx context.Context, to []heldEntry, raws []string) ([]heldEntry, error) {
	var entries []order.Entry
	var places []int64
	for i, raw := range raws {
		if e, err := order.ParseEntry(raw); err == nil && e.Activity == c.acc.activity.ID {
			entries, places = append(entries, e), append(places, c.read+int64(i))
		}
	}
	c.read += int64(len(raws))
	from := len(to)
	to, err := c.holding(ctx, to, entries)
	if err != nil {
		return nil, err
	}
	for i := range places {
		to[from+i].at = places[i]
	}
	return to, nil
}

// holding adds entries with what their tokens say, or where those are lost, their records.
func (c *accountant) holding(ctx context.Context, to []heldEntry, entries []order.Entry) ([]heldEntry, error) {
	tokens, err := c.tokens(ctx, c.lane, c.acc.activity.ID, entries)
	if err != nil {
		return nil, err
	}
	var lost []order.Entry
	lostAt := map[order.Number]int{}
	for _, e := range entries {
		t, present := tokens[e.Number]
		if !present {
			lost = append(lost, e)
			lostAt[e.Number] = len(to)
		}
		to = append(to, heldEntry{entry: e, holds: t, present: present})
	}
	orders, err := order.Records(ctx, c.lua, c.lane, lost)
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		to[lostAt[o.Number]].holds = token{o.Items[0].SKU, o.Point, o.Items[0].Quantity, o.User}
	}
	return to, nil
}

// tokens reads the tokens of entries that have one. One that can't be read holds nothing.
func (u *Auditor) tokens(ctx context.Context, lane int, activity string, entries []order.Entry) (map[order.Number]token, error) {
	numbers := make([]order.Number, len(entries))
	for i, e := range entries {
		numbers[i] = e.Number
	}
	return u.tokensOf(ctx, lane, activity, numbers)
}

// fieldsAtOnce bounds how many fields of a hash one command reads.
const fieldsAtOnce = 1000

func (u *Auditor) tokensOf(ctx context.Context, lane int, activity string, numbers []order.Number) (map[order.Number]token, error) {
	fields := make([]string, len(numbers))
	for i, n := range numbers {
		fields[i] = n.String()
	}
	values, err := u.read(ctx, u.lua.Keys.Held(lane, activity), fields)
	if err != nil {
		return nil, err
	}
	tokens := make(map[order.Number]token, len(numbers))
	for i, value := range values {
		if text, ok := value.(string); ok {
			tokens[numbers[i]], _ = parseToken(text)
		}
	}
	return tokens, nil
}

// read reads fields of a hash, nil where one is absent.
func (u *Auditor) read(ctx context.Context, key string, fields []string) ([]any, error) {
	values := make([]any, 0, len(fields))
	var cmds []*redis.SliceCmd
	_, err := u.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for from := 0; from < len(fields); from += fieldsAtOnce {
			cmds = append(cmds, p.HMGet(ctx, key, fields[from:min(from+fieldsAtOnce, len(fields))]...))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d fields of %s: %w", len(fields), key, err)
	}
	for _, cmd := range cmds {
		values = append(values, cmd.Val()...)
	}
	return values, nil
}

// fenced holds the activity's stock rows while it reads what is small of both stores, and opens the
// read view of that moment, which the caller closes. It takes two connections, so of several accounts
// one at a time does: each of them could have one and wait for the other.
func (c *accountant) fenced(ctx context.Context) (view *sqlx.Tx, err error) {
	select {
	case c.fencing <- struct{}{}:
		defer func() { <-c.fencing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another account: %w", ctx.Err())
	}
	id := c.acc.activity.ID
	err = c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if view != nil {
			_ = view.Rollback() // of a try that failed
		}
		// Before the fence, since it may wait for a connection. What it shows is decided by its first
		// query, behind the fence.
		if view, err = c.db.OpenView(ctx); err != nil {
			return err
		}
		if err := fence(ctx, tx, id); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, fenceWithin)
		defer cancel()
		if c.acc.activity, err = selectActivity(ctx, view, id); err != nil {
			return err
		}
		returns, err := c.pendingReturns(ctx, view)
		if err != nil {
			return err
		}
		if err := c.readRedis(ctx, returns); err != nil {
			return err
		}
		return c.acc.sumChanging(ctx, view)
	})
	return view, err
}

// pendingReturns are the fields of the held hash of cancelled orders whose units may still be there.
func (c *accountant) pendingReturns(ctx context.Context, view *sqlx.Tx) (fields []string, err error) {
	err = order.EachPendingReturn(ctx, view, c.acc.activity.ID, func(page []order.Stored) error {
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

// readRedis reads the stock, the tokens of pending returns, what was appended to the queue, and the
// dead entries, in one step.
func (c *accountant) readRedis(ctx context.Context, returns []string) error {
	id, keys := c.acc.activity.ID, c.lua.Keys
	var meta *redis.SliceCmd
	var stock, changes, dead *redis.MapStringStringCmd
	var rest *redis.StringSliceCmd
	var held []*redis.SliceCmd
	err := c.lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, keys.Meta(c.lane, id), "state", "epoch", "repairs")
		stock = p.HGetAll(ctx, keys.Stock(c.lane, id))
		changes = p.HGetAll(ctx, keys.Changes(c.lane, id))
		rest = c.queue.Rest(ctx, p)
		if !c.big {
			dead = p.HGetAll(ctx, keys.Dead(c.lane))
		}
		for part := range slices.Chunk(returns, fieldsAtOnce) {
			held = append(held, p.HMGet(ctx, keys.Held(c.lane, id), part...))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read activity %s from redis: %w", id, err)
	}
	if err := c.acc.readMeta(meta.Val()); err != nil {
		return err
	}
	if c.acc.stock, err = parseCounts(stock.Val()); err != nil {
		return err
	}
	if err := c.acc.readChanging(changes.Val()); err != nil {
		return err
	}
	c.acc.returning = map[string]int64{}
	for _, cmd := range held {
		for _, value := range cmd.Val() {
			text, _ := value.(string)
			if t, ok := parseToken(text); ok {
				c.acc.returning[stockField(t.sku, t.point)] += t.quantity
			}
		}
	}
	gone, err := c.readRest(ctx, rest.Val())
	if err != nil {
		return err
	}
	if c.big {
		return c.stillDead(ctx, gone)
	}
	if c.dead, err = c.holding(ctx, nil, order.DeadOf(id, dead.Val())); err != nil {
		return err
	}
	return c.requireDead(ctx)
}

// requireDead makes sure that dead entries without a token lost it before they were read, and not
// because they were discarded or replayed since.
func (c *accountant) requireDead(ctx context.Context) error {
	var ids []string
	for _, d := range c.dead {
		if !d.present {
			ids = append(ids, order.DeadID(d.entry))
		}
	}
	values, err := c.Auditor.read(ctx, c.lua.Keys.Dead(c.lane), ids)
	if err != nil {
		return err
	}
	if slices.Contains(values, nil) {
		return errMoving
	}
	return nil
}

// readRest takes in what was appended to the queue since it was read, and drops what has left it.
func (c *accountant) readRest(ctx context.Context, raws []string) (gone []heldEntry, err error) {
	rest, left, ok := c.queue.Follow(raws)
	if !ok {
		return nil, errMoving
	}
	taken, known := c.read-left, len(c.waits)
	waits, err := c.candidates(ctx, c.waits, rest)
	if err != nil {
		return nil, err
	}
	for _, w := range waits[known:] {
		if !w.present && w.holds.quantity == 0 { // it may have left the queue between the two reads
			return nil, errMoving
		}
	}
	at := 0
	for at < len(waits) && waits[at].at < taken {
		at++
	}
	gone, c.waits = waits[:at], waits[at:]
	return gone, nil
}

// stillDead keeps those of many dead entries that are still there, and those of gone, which have left
// the queue, that are there now.
func (c *accountant) stillDead(ctx context.Context, gone []heldEntry) error {
	c.dead = append(c.dead, gone...)
	ids := make([]string, len(c.dead))
	for i, d := range c.dead {
		ids[i] = order.DeadID(d.entry)
	}
	values, err := c.Auditor.read(ctx, c.lua.Keys.Dead(c.lane), ids)
	if err != nil {
		return err
	}
	still := c.dead[:0]
	for i, d := range c.dead {
		if values[i] != nil {
			still = append(still, d)
		}
	}
	c.dead = still
	return nil
}

func (acc *account) readMeta(meta []any) (err error) {
	if meta[0] == nil || meta[0] == lua.StateLoading {
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
	return nil
}

// sumPlaced adds up the units of entries whose order the view doesn't have, each order once.
func (c *accountant) sumPlaced(ctx context.Context, view *sqlx.Tx) error {
	counted := map[order.Number]bool{}
	for _, candidates := range [][]heldEntry{c.waits, c.dead} {
		for len(candidates) > 0 {
			page := candidates[:min(fieldsAtOnce, len(candidates))]
			candidates = candidates[len(page):]
			entries := make([]order.Entry, len(page))
			for i := range page {
				entries[i] = page[i].entry
			}
			missing, over, err := order.Told(ctx, view, entries)
			if err != nil {
				return err
			}
			for _, w := range page {
				n, field := w.entry.Number, stockField(w.holds.sku, w.holds.point)
				_, placed := missing[n]
				_, refused := over[n]
				switch {
				case counted[n]:
				case placed:
					counted[n] = true
					c.acc.placed[field] += w.holds.quantity
				case refused && w.present:
					counted[n] = true
					c.acc.returning[field] += w.holds.quantity
				}
			}
		}
	}
	return nil
}

// readChanging keeps which stock changes Redis has applied.
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

// sumChanging turns the changes that Redis has applied into the units of those that one store has
// and the other has not yet, by stock field.
func (acc *account) sumChanging(ctx context.Context, view *sqlx.Tx) error {
	var changes []StockChange
	const query = `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND kind = 'change' AND activity_id = ? AND outbox_id > 'change:' AND outbox_id < 'change;'`
	if err := view.SelectContext(ctx, &changes, query, acc.activity.ID); err != nil {
		return fmt.Errorf("select pending stock changes: %w", err)
	}
	applied := acc.changing
	acc.changing = map[string]int64{}
	for _, ch := range changes {
		_, inRedis := applied[ch.ID]
		if (ch.Delta > 0 && !inRedis) || (ch.Delta < 0 && inRedis) {
			acc.changing[stockField(ch.SKU, ch.Point)] += max(ch.Delta, -ch.Delta)
		}
	}
	return nil
}
