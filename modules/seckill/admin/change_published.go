package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/journal"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/waves"
	"onrush/modules/segments"
)

// Change is a change of a published activity. Fields that are nil or empty change nothing.
type Change struct {
	Title            *string
	StartsMS, EndsMS *int64
	PurchaseLimit    *int64
	PermitRatio      *float64
	HumanCheck       human.Kind
	Limits           *limits.Body
	// PathsPerSecond is the rate of the waiting room; Unlimited closes it.
	PathsPerSecond *float64
	SKUs           []SKUChange

	// Left are the units that Redis has left, by stock field; nil if unknown. Later waves have no more.
	Left map[string]int64
	// Totals are the stocks that are set after the change, by stock field. It may keep units by which they are raised,
	// for later waves and for some buyers.
	Totals map[string]int64

	Segments     *segments.Set // none: everybody may buy
	OfferWithinS *int64        // 0: no waiting list
	Eligible     *eligible.Settings
	ReservedFor  *eligible.ReservedFor // nobody: no units are reserved any more
	PayGraceS    *int64                // also of the orders that are unpaid then

	ExpectedVisitors *int64 // 0: nobody knows

	Description *string
	ImageURL    *string         // "" removes it
	Images      *seckill.Images // none remove them

	Version int64 // that the caller saw; see oplog.Check
}

// SKUChange is a change of one sku of a published activity.
type SKUChange struct {
	SKU           string
	FlashPrice    *int64
	PurchaseLimit *int64
	Waves         *[]lua.Wave // those that have opened stay, also if they are left out
	Reserved      *waves.Plan // without times
}

// Change changes a published activity, also while it sells. SQL has the change first; then Redis gets it, or
// ApplyChanges repeats that later. Instances know it within a second.
func (as *Activities) Change(ctx context.Context, id string, c *Change) (*seckill.Activity, error) {
	as.readLeft(ctx, id, c)
	err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// What may be changed depends on the time, and the lock may have taken some.
		a, err := lockVersion(ctx, tx, id, c.Version)
		if err != nil {
			return err
		}
		if a == nil {
			return problem.NotFound("activity")
		}
		before, reserved := loggedActivity(a), reservationOf(a, as.clock.NowMS())
		if err := as.apply(c, a); err != nil {
			return err
		}
		if err := reserved.keepsSome(ctx, tx, a, as.clock.NowMS()); err != nil {
			return err
		}
		if err := as.need(ctx, a); err != nil {
			return err
		}
		if err := updatePublished(ctx, tx, a); err != nil {
			return err
		}
		a.Revision++
		now := as.clock.NowMS()
		err = writeActivityEvent(ctx, tx, journal.ActivityChanged, id, func(*seckill.Activity) int64 { return now })
		if err != nil {
			return err
		}
		return recordChange(ctx, tx, "changed", id, before, loggedActivity(a))
	})
	if err != nil {
		return nil, err
	}
	return as.changed(ctx, id, "The activity is changed; Redis will get the change when it answers.")
}

// changed makes a change known after its commit. pending is the detail of the problem if Redis doesn't get it now.
func (as *Activities) changed(ctx context.Context, id, pending string) (*seckill.Activity, error) {
	if err := as.faults.After("change_commit"); err != nil {
		return nil, err
	}
	as.cache.Forget(id)
	a, err := as.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := as.applyToRedis(ctx, a); err != nil {
		return nil, problem.Unavailable(err, pending)
	}
	return as.Get(ctx, id)
}

// nowWithin is in ms. An end that is at most this far in the past is taken as now: a request takes some time, and
// clocks differ.
const nowWithin = 10_000

// changeable returns nil if a published activity may be changed, or why not.
func changeable(a *seckill.Activity, nowMS int64) error {
	switch {
	case a.State == seckill.Draft:
		return problem.Errorf(problem.CodeConflict, "The activity is a draft; replace it with PUT.")
	case a.State == seckill.Offline:
		return problem.Errorf(problem.CodeConflict, "The activity is permanently offline.")
	case nowMS >= a.EndsMS:
		return problem.Errorf(problem.CodeConflict, "The sale has ended.")
	}
	return nil
}

// apply changes a, or returns a problem that says which fields can't be changed.
func (as *Activities) apply(c *Change, a *seckill.Activity) error {
	now := as.clock.NowMS()
	if err := changeable(a, now); err != nil {
		return err
	}
	started := now >= a.StartsMS
	var checks problem.Checks
	checks.That(c.StartsMS == nil || !started || *c.StartsMS == a.StartsMS, "starts_at",
		"can't be changed after the start")
	checks.That(c.EndsMS == nil || *c.EndsMS > now-nowWithin, "ends_at", "must be in the future, or now")
	onlyRaised := raisesOnly(a, now)
	checkLimit(&checks, "purchase_limit", onlyRaised, a.PurchaseLimit, c.PurchaseLimit)
	for i, change := range c.SKUs {
		field := fmt.Sprintf("skus[%d]", i)
		at := slices.IndexFunc(a.SKUs, func(g seckill.ActivitySKU) bool { return g.SKU == change.SKU })
		if at < 0 {
			checks.That(false, field+".sku_id", "is not sold here; a published sale can't get other skus")
			continue
		}
		g := &a.SKUs[at]
		checks.That(change.FlashPrice == nil || !started || *change.FlashPrice == g.FlashPrice, field+".flash_price",
			"can't be changed after the start")
		checkLimit(&checks, field+".purchase_limit", onlyRaised, g.PurchaseLimit, change.PurchaseLimit)
		as.changeWaves(&checks, field, a, g, change.Waves, c)
		changeReserved(&checks, field, g, change.Reserved, c.stockOf(g))
		set(&g.FlashPrice, change.FlashPrice)
		set(&g.PurchaseLimit, change.PurchaseLimit)
	}
	set(&a.Title, c.Title)
	set(&a.StartsMS, c.StartsMS)
	if c.EndsMS != nil {
		a.EndsMS = max(*c.EndsMS, now)
	}
	set(&a.PurchaseLimit, c.PurchaseLimit)
	set(&a.PermitRatio, c.PermitRatio)
	if c.HumanCheck != "" {
		a.HumanCheck = c.HumanCheck
	}
	checks.That(as.checks.Offers(a.HumanCheck), "human_check", "is a check that is not configured")
	a.Limits = c.Limits.Apply(a.Limits)
	set(&a.Segments, c.Segments)
	set(&a.OfferWithinS, c.OfferWithinS)
	set(&a.Eligible, c.Eligible)
	set(&a.Reserved, c.ReservedFor)
	a.ReserveUnits()
	set(&a.PayGraceS, c.PayGraceS)
	set(&a.ExpectedVisitors, c.ExpectedVisitors)
	set(&a.Description, c.Description)
	set(&a.ImageURL, c.ImageURL)
	set(&a.Images, c.Images)
	if c.PathsPerSecond != nil {
		a.WaitingRoom = a.WaitingRoom.WithRate(*c.PathsPerSecond, a.StartsMS, now)
		if a.PausedMS > 0 { // a room that was just opened
			a.WaitingRoom = a.WaitingRoom.Pause(now)
		}
	}
	checks.That(a.EndsMS > a.StartsMS, "ends_at", "must be after starts_at")
	err := cmp.Or(c.Eligible.Check(), a.CheckMode(), a.CheckBasket(), a.CheckBundles(), a.CheckReserved())
	if err != nil {
		return err
	}
	return checks.Err()
}

// stockOf returns the stock of a sku with the units by which it is raised after the change.
func (c *Change) stockOf(g *seckill.ActivitySKU) []seckill.PointStock {
	stock := slices.Clone(g.Stock)
	for i := range stock {
		stock[i].Total = max(stock[i].Total, c.Totals[lua.StockField(g.SKU, stock[i].Point)])
	}
	return stock
}

// raisesOnly returns why purchase limits can only be raised: purchases are counted only under a limit, and orders that
// wait to be stored were placed under the limit of their time. "" if nobody has bought yet. Buyers who were early have
// bought also if the start is moved afterwards, or nobody may be early any more.
func raisesOnly(a *seckill.Activity, nowMS int64) string {
	switch {
	case nowMS >= a.StartsMS:
		return "can only be raised after the start"
	case nowMS >= a.StartsMS-a.Eligible.EarlyMS() || hasSold(a):
		return "can only be raised: early buyers may have bought"
	}
	return ""
}

// hasSold reports whether SQL has orders of an activity that are neither cancelled nor failed.
func hasSold(a *seckill.Activity) bool {
	for i := range a.SKUs {
		for _, p := range a.SKUs[i].Stock {
			if p.Sold > 0 {
				return true
			}
		}
	}
	return false
}

// checkLimit checks the change of a purchase limit, which can only be raised for the reason onlyRaised, unless that
// is "".
func checkLimit(checks *problem.Checks, field, onlyRaised string, from int64, to *int64) {
	if to == nil || onlyRaised == "" || *to == from {
		return
	}
	raised := from != seckill.Unlimited && *to > from
	checks.That(raised, field, "%s", onlyRaised)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// updatePublished writes a change of an activity whose row is locked.
func updatePublished(ctx context.Context, tx *sqlx.Tx, a *seckill.Activity) error {
	// If a sale is prolonged whose end was announced a moment ago, its end must be announced once more. The assignment
	// of announced comes first, since it compares the old ends_ms.
	const update = `UPDATE activities SET announced = CASE WHEN announced = 2 AND ends_ms < ? THEN 1 ELSE announced END,
		title = ?, starts_ms = ?, ends_ms = ?, purchase_limit = ?, permit_ratio = ?,
		human_check = ?, limits = ?, waiting_room = ?, description = ?, image_url = ?, images = ?,
		segments = ?, offer_within_s = ?, eligibility = ?, pay_grace_s = ?, paused_ms = ?, last_wave_ms = ?, needs = ?,
		reserved_for = ?, expected_visitors = ?, version = version + 1, revision = revision + 1
		WHERE activity_id = ? AND state = 'published' AND version = ?`
	res, err := tx.ExecContext(ctx, update, a.EndsMS, a.Title, a.StartsMS, a.EndsMS, a.PurchaseLimit, a.PermitRatio,
		a.HumanCheck, a.Limits, a.WaitingRoom, a.Description, a.ImageURL, a.Images, a.Segments,
		a.OfferWithinS, a.Eligible, a.PayGraceS, a.PausedMS, a.LastWave(), a.Needs,
		a.Reserved, a.ExpectedVisitors, a.ID, a.Version)
	if err != nil {
		return fmt.Errorf("change activity %s: %w", a.ID, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, fmt.Errorf("change activity %s: it is not as it was read", a.ID))
	}
	for _, g := range a.SKUs {
		const update = `UPDATE activity_skus SET flash_price = ?, purchase_limit = ?, waves = ?, reserved = ?
			WHERE activity_id = ? AND sku_id = ?`
		if _, err := tx.ExecContext(ctx, update, g.FlashPrice, g.PurchaseLimit, g.Waves, g.Reserved, a.ID,
			g.SKU); err != nil {
			return fmt.Errorf("change sku %s of %s: %w", g.SKU, a.ID, err)
		}
	}
	return nil
}

// applyToRedis writes SQL's version of the activity to Redis, first to the copy and then to the keys that the scripts
// read, so that no order is refused for a version that can't be read. Then it records in SQL that Redis has it, and
// returns true. If Redis doesn't have the activity, or is loading it, it records nothing, so that ApplyChanges repeats
// it: the load may have read an older version.
func (as *Activities) applyToRedis(ctx context.Context, a *seckill.Activity) (applied bool, err error) {
	if err := as.cache.Keep(ctx, a.ID); err != nil {
		return false, err
	}
	if err := as.faults.After("change_copy"); err != nil {
		return false, err
	}
	loaded, err := as.lua.ChangeActivity(ctx, a.Lane, a.ID, a.RedisVersion(), a.Changed())
	if err != nil || !loaded {
		return false, err
	}
	if err := as.faults.After("change_redis"); err != nil {
		return false, err
	}
	err = as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE activities SET applied = ? WHERE activity_id = ? AND applied < ?`,
			a.Version, a.ID, a.Version)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("record that redis has version %d of activity %s: %w", a.Version, a.ID, err)
	}
	return true, nil
}

// changesPerRun bounds the changes that one run of ApplyChanges repeats.
const changesPerRun = 100

// ApplyChanges writes to Redis the changes of activities that it may lack after a crash or after it was unavailable,
// whatever they changed, and returns how many. Only a retired activity needs none.
func (as *Activities) ApplyChanges(ctx context.Context) (applied int, err error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var ids []string
	const pending = `SELECT activity_id FROM activities WHERE retired_ms = 0 AND version > applied AND state <> 'draft'
		AND activity_id > ? ORDER BY activity_id LIMIT ?`
	if err := as.db.Read.SelectContext(ctx, &ids, pending, as.after, changesPerRun); err != nil {
		return 0, fmt.Errorf("select pending changes of activities: %w", err)
	}
	var failed error
	for _, id := range ids {
		as.after = id // activities that can't be changed now must not block the others
		if as.db.Busy.Skips(rowOf(id)) {
			continue
		}
		a, err := seckill.ViewActivity(ctx, as.db, id)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if a == nil {
			continue
		}
		done, err := as.applyToRedis(ctx, a)
		as.db.Busy.Note(rowOf(id), err)
		failed = errors.Join(failed, err)
		if done {
			applied++
		}
	}
	if len(ids) < changesPerRun {
		as.after = ""
	}
	return applied, failed
}
