package waitlist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waves"
	"onrush/modules/sqldb"
)

const (
	// salesPerRun bounds the sales whose lists a run serves; the next run resumes after the last one.
	salesPerRun = 200
	// readAtOnce bounds how many entries a run reads at once that wait for the same units.
	readAtOnce = lua.MaxWaitlistChanges
	// tellAtOnce bounds the offers of a transaction, since the orders of the sale wait for it.
	tellAtOnce = 50
	// servedAfterMS is how long after its end a sale without entries is served.
	servedAfterMS = 60_000
)

// Offerer offers units that came back to the buyers who wait for them, and ends the offers that nobody took in time.
// Several may run at once.
type Offerer struct {
	Deps
	after string // the next run resumes after this activity
}

// NewOfferer returns an Offerer.
func NewOfferer(d Deps) *Offerer { return &Offerer{Deps: d} }

// RunOnce serves the lists of sales and returns how many offers it made and ended. These are the sales that run and
// have, or had, a list, since Redis may have offers that SQL doesn't have; sales of which units are, or were, set
// aside, also before their start; and sales with entries.
func (o *Offerer) RunOnce(ctx context.Context) (done int, err error) {
	if err := o.Clock.Sync(ctx); err != nil {
		return 0, err
	}
	ids, err := o.next(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, id := range ids {
		o.after = id
		if ctx.Err() != nil {
			return done, failed
		}
		if o.DB.Busy.Skips(sqldb.StockOf(id)) {
			continue
		}
		n, err := o.Serve(ctx, id)
		o.DB.Busy.Note(sqldb.StockOf(id), err)
		done += n
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("serve the waiting list of %s: %w", id, err))
		}
	}
	if len(ids) < salesPerRun {
		o.after = ""
	}
	return done, failed
}

// next returns the sales that the next run serves, in the order of their ids.
func (o *Offerer) next(ctx context.Context) (ids []string, err error) {
	const query = `SELECT activity_id FROM activities
		WHERE retired_ms = 0 AND ((offer_within_s > 0 OR needs LIKE ?) AND starts_ms <= ? OR needs LIKE ?)
			AND state <> 'draft' AND ends_ms > ? AND activity_id > ? ORDER BY activity_id LIMIT ?`
	now := o.Clock.NowMS()
	if err := o.DB.Read.SelectContext(ctx, &ids, query, "%"+needs.Waitlist+"%", now, "%"+needs.Holds+"%",
		now-servedAfterMS, o.after, salesPerRun); err != nil {
		return nil, fmt.Errorf("select the waiting lists: %w", err)
	}
	entered, err := withEntries(ctx, o.DB.Read, o.after, salesPerRun)
	if err != nil {
		return nil, err
	}
	ids = append(ids, entered...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), salesPerRun)], nil
}

// Serve serves the list of one sale, unless the sale needs abilities that this build lacks.
func (o *Offerer) Serve(ctx context.Context, activity string) (done int, err error) {
	a, err := seckill.ViewActivity(ctx, o.DB, activity)
	if err != nil {
		return 0, err
	}
	if a != nil && !a.Needs.Known() { // a newer build keeps units for reasons that this one doesn't know
		return 0, nil
	}
	r := &round{Offerer: o, a: a, id: activity}
	if a == nil || a.RetiredMS > 0 {
		return r.dissolve(ctx)
	}
	// SQL is read before Redis: an offer that SQL has and Redis doesn't was taken, or has ended.
	if r.offered, err = offered(ctx, o.DB.Read, activity); err != nil {
		return 0, err
	}
	if err := o.Faults.After("waitlist_read"); err != nil {
		return 0, err
	}
	if loaded, err := r.readRedis(ctx); err != nil || !loaded {
		return 0, err
	}
	if err := r.discard(ctx); err != nil {
		return 0, err
	}
	if a.State == seckill.Offline || r.nowMS >= a.EndsMS {
		return r.dissolve(ctx)
	}
	ended, err := r.end(ctx)
	if err != nil {
		return ended, err
	}
	if a.OfferWithinS == 0 {
		return ended, r.forget(ctx, false)
	}
	made, err := r.offer(ctx)
	return ended + made, err
}

// round is one run of the Offerer for one sale.
type round struct {
	*Offerer
	a       *seckill.Activity
	id      string
	offered []Entry
	list    *lua.Waitlist
	nowMS   int64
	found   []Entry // entries whose offers only Redis has
}

// readRedis reads what Redis has of the list, and reports whether it has the load of the sale that SQL knows.
func (r *round) readRedis(ctx context.Context) (loaded bool, err error) {
	keys := r.Lua.Keys
	var meta *redis.SliceCmd
	var list *redis.MapStringStringCmd
	err = r.Lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, keys.Meta(r.a.Lane, r.id), "state", "epoch")
		list = p.HGetAll(ctx, keys.Waitlist(r.a.Lane, r.id))
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("read the waiting list of %s: %w", r.id, err)
	}
	r.nowMS = r.Clock.NowMS()
	state, _ := meta.Val()[0].(string)
	epoch := strconv.FormatInt(r.a.Epoch(), 10)
	if !lua.ActivityState(state).Loaded() || meta.Val()[1] != epoch {
		return false, nil
	}
	r.list = lua.ParseWaitlist(list.Val(), r.a.Epoch())
	return true, nil
}

// change changes the list in Redis. If Redis has another load of the sale by now, the error is errLoaded.
func (r *round) change(ctx context.Context, c lua.WaitlistChange) (lua.Waitlisted, error) {
	c.Lane, c.Activity, c.Epoch, c.WithinMS = r.a.Lane, r.id, r.a.Epoch(), r.a.OfferWithinS*1000
	done, err := r.Lua.ChangeWaitlist(ctx, &c)
	if err == nil && !done.Loaded {
		err = errLoaded
	}
	return done, err
}

var errLoaded = errors.New("the sale was loaded again")

// offer offers the units that are left, and tells the buyers.
func (r *round) offer(ctx context.Context) (made int, err error) {
	if made, err = r.makeOffers(ctx, r.found); err != nil { // Redis has them, so they are not made twice
		return 0, err
	}
	regions, err := waiting(ctx, r.DB.Read, r.id)
	if err != nil {
		return 0, err
	}
	has, err := r.units(ctx, regions)
	if err != nil {
		return 0, err
	}
	kept := map[string]bool{}
	for _, w := range regions {
		field := lua.StockField(w.SKU, w.Point)
		kept[field] = true
		if has[field].left <= 0 {
			continue
		}
		n, keeps, err := r.offerAt(ctx, w, has)
		if made += n; err != nil {
			return made, err
		}
		kept[field] = keeps
	}
	for _, w := range drawn(r.a) {
		kept[lua.StockField(w.SKU, w.Point)], regions = true, append(regions, w)
	}
	return made, r.mark(ctx, regions, kept)
}

// offerAt offers units of a sku at a point, page by page of those who wait for them. kept reports whether only buyers
// who wait may have the units that are left then: by the plan, or since Redis made fewer offers than planned, as in a
// pause.
func (r *round) offerAt(ctx context.Context, w waited, has map[string]units) (made int, kept bool, err error) {
	field, headed := lua.StockField(w.SKU, w.Point), map[string]bool{}
	for after := (Entry{}); ; {
		entries, err := first(ctx, r.DB.Read, r.id, w.SKU, w.Point, after, readAtOnce)
		if err != nil {
			return made, false, err
		}
		offers, passed, keeps := plan(entries, has, headed, r.nowMS, r.a.OfferWithinS*1000)
		n, err := r.makeOffers(ctx, offers)
		if made += n; err != nil {
			return made, false, err
		}
		if err := r.pass(ctx, passed); err != nil {
			return made, false, err
		}
		if kept = keeps[field] || n < len(offers); kept || len(entries) < readAtOnce {
			return made, kept, nil
		}
		u := has[field]
		for i := range offers {
			u.left -= offers[i].Quantity
		}
		has[field], after = u, entries[len(entries)-1]
	}
}

// units reads how many units are left where buyers wait for some, without units of waves that open later, and how many
// may be left in time.
func (r *round) units(ctx context.Context, regions []waited) (map[string]units, error) {
	if len(regions) == 0 {
		return nil, nil
	}
	fields := make([]string, len(regions))
	for i, w := range regions {
		fields[i] = lua.StockField(w.SKU, w.Point)
	}
	keys := r.Lua.Keys
	var stock, paid *redis.SliceCmd
	err := r.Lua.Snapshot(ctx, func(p redis.Pipeliner) error {
		stock = p.HMGet(ctx, keys.Stock(r.a.Lane, r.id), fields...)
		paid = p.HMGet(ctx, keys.Paid(r.a.Lane, r.id), fields...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the stock of %s: %w", r.id, err)
	}
	totals := map[string]int64{}
	plans := map[string]waves.Plan{}
	for _, g := range r.a.SKUs {
		plans[g.SKU] = g.Waves
		for _, p := range g.Stock {
			totals[lua.StockField(g.SKU, p.Point)] = p.Total
		}
	}
	has := make(map[string]units, len(fields))
	for i, w := range regions {
		has[fields[i]] = units{
			left: plans[w.SKU].Open(w.Point, count(stock.Val()[i]), r.nowMS),
			may:  totals[fields[i]] - count(paid.Val()[i]),
		}
	}
	return has, nil
}

// count reads a count of a hash; an absent one is 0.
func count(value any) int64 {
	text, _ := value.(string)
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// makeOffers makes offers in Redis, and then in SQL.
func (r *round) makeOffers(ctx context.Context, entries []Entry) (made int, err error) {
	for part := range slices.Chunk(entries, lua.MaxWaitlistChanges) {
		var c lua.WaitlistChange
		for i := range part {
			c.Offers = append(c.Offers, part[i].Offer())
		}
		done, err := r.change(ctx, c)
		if err != nil {
			return made, err
		}
		if err := r.Faults.After("waitlist_offer"); err != nil {
			return made, err
		}
		var told []Entry
		for i, until := range done.UntilMS {
			if part[i].UntilMS = until; until > 0 {
				told = append(told, part[i])
			}
		}
		for some := range slices.Chunk(told, tellAtOnce) {
			if err := r.tell(ctx, some); err != nil {
				return made, err
			}
			made += len(some)
		}
	}
	return made, nil
}

// tell writes offers to SQL, with their events, unless the sale was loaded again, which has ended them. Offers of
// buyers who have left meanwhile end.
func (r *round) tell(ctx context.Context, entries []Entry) error {
	var left []lua.Offer
	err := r.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		left = nil
		if same, err := order.FenceAt(ctx, tx, r.id, r.a.Epoch()); err != nil || !same {
			return err
		}
		var told []Entry
		for _, e := range entries {
			const update = `UPDATE waitlist SET until_ms = ?
				WHERE activity_id = ? AND sku_id = ? AND user_id = ? AND entry_id = ? AND until_ms = 0`
			won, err := sqldb.Changed(tx.ExecContext(ctx, update, e.UntilMS, r.id, e.SKU, e.User, e.ID))
			if err != nil {
				return fmt.Errorf("write an offer of %s: %w", r.id, err)
			}
			if won {
				if err := r.noteDrawn(ctx, tx, e); err != nil {
					return err
				}
				told = append(told, e)
				continue
			}
			switch now, err := OfUser(ctx, tx, r.id, e.SKU, e.User); {
			case err != nil:
				return err
			case now == nil || now.ID != e.ID:
				left = append(left, e.Offer())
			}
		}
		return Tell(ctx, tx, told, r.nowMS)
	})
	if err != nil {
		return err
	}
	if err := r.Faults.After("waitlist_told"); err != nil {
		return err
	}
	if len(left) > 0 {
		return r.endNow(ctx, left)
	}
	return nil
}

// noteDrawn notes that units of a draw are offered to a buyer.
func (r *round) noteDrawn(ctx context.Context, tx *sqlx.Tx, e Entry) error {
	if !r.a.Draws() {
		return nil
	}
	const update = `UPDATE draw_entries SET drawn_ms = ? WHERE user_id = ? AND activity_id = ? AND entry_id = ?`
	if _, err := tx.ExecContext(ctx, update, r.nowMS, e.User, r.id, e.ID); err != nil {
		return fmt.Errorf("note who is drawn in %s: %w", r.id, err)
	}
	return nil
}

// pass notes the entries that others go ahead of from now on.
func (r *round) pass(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return r.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, e := range entries {
			const update = `UPDATE waitlist SET passed_ms = ?
				WHERE activity_id = ? AND sku_id = ? AND user_id = ? AND entry_id = ? AND passed_ms = 0`
			if _, err := tx.ExecContext(ctx, update, r.nowMS, r.id, e.SKU, e.User, e.ID); err != nil {
				return fmt.Errorf("note who was passed in %s: %w", r.id, err)
			}
		}
		return nil
	})
}

// mark says in Redis for which units buyers wait: those that are kept, by stock field.
func (r *round) mark(ctx context.Context, regions []waited, kept map[string]bool) error {
	var c lua.WaitlistChange
	waits := map[string]bool{}
	for _, w := range regions {
		field := lua.StockField(w.SKU, w.Point)
		if waits[field] = kept[field]; waits[field] && r.list.Waits[field] == "" {
			c.Waits = append(c.Waits, lua.Wait{SKU: w.SKU, Point: w.Point, Entry: w.Entry})
		}
	}
	for field, entry := range r.list.Waits {
		if sku, point, valid := lua.ParseStockField(field); valid && !waits[field] {
			c.Waits = append(c.Waits, lua.Wait{SKU: sku, Point: point, Seen: entry})
		}
	}
	for part := range slices.Chunk(c.Waits, lua.MaxWaitlistChanges) {
		if _, err := r.change(ctx, lua.WaitlistChange{Waits: part}); err != nil {
			return err
		}
	}
	return nil
}
