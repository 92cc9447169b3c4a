package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/idempotency"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

// Activities manages flash sales for operators.
type Activities struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	goods  *catalogue.Catalogue
	loader loader
	totals totals
	cache  *seckill.ActivityCache
	clock  *clock.Clock
	site   *site.Site
	newID  func() string
	secret func() string
	log    *slog.Logger
	faults order.Faults
	checks human.Checks
	fleet  needs.Fleet

	mu    sync.Mutex
	after string // the next run of ApplyChanges resumes after this activity
	// The next run of announceWaves resumes after this activity.
	afterWaves string
}

// loader loads an activity into Redis. Its errors include seckill.ErrLoaded, seckill.ErrRetired and
// lua.ErrSuperseded.
type loader interface {
	Load(ctx context.Context, activity string) error
}

// totals sets how many units a published activity has of a sku at a point, and returns the version that the activity
// has if nobody else changes it.
type totals interface {
	SetTotal(ctx context.Context, activity, sku, point string, total, version int64) (next int64, err error)
}

// NewActivities returns Activities.
func NewActivities(d Deps) *Activities {
	return &Activities{
		db: d.DB, lua: d.Lua, goods: d.Catalogue, loader: d.Loader, totals: d.Totals, cache: d.Cache,
		clock: d.Clock, site: d.Site, checks: d.Checks, fleet: d.Fleet, newID: d.NewID, log: d.Log, faults: d.Faults,
		secret: d.Secret,
	}
}

// Create stores an activity as a draft, with a new id if it has none. An id that exists is a conflict. A new id comes
// from the Idempotency-Key of the request, if it has one: a request that runs again after a crash finds the draft.
func (as *Activities) Create(ctx context.Context, a *seckill.Activity) (*seckill.Activity, error) {
	if err := as.check(ctx, a); err != nil {
		return nil, err
	}
	keyed := ""
	if a.ID == "" {
		keyed = idempotency.ID(ctx)
		a.ID = cmp.Or(keyed, as.newID())
	}
	a.State, a.CreatedMS, a.HumanCheck = seckill.Draft, as.clock.NowMS(), cmp.Or(a.HumanCheck, human.None)
	a.Revision = a.CreatedMS
	err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := insertActivity(ctx, tx, a); err != nil {
			return err
		}
		return recordChange(ctx, tx, "created", a.ID, nil, loggedActivity(a))
	})
	switch {
	case sqldb.IsDuplicate(err) && a.ID == keyed: // by the same request
	case sqldb.IsDuplicate(err):
		return nil, problem.Errorf(problem.CodeConflict, "An activity with this id already exists.")
	case err != nil:
		return nil, err
	}
	return as.Get(ctx, a.ID)
}

// Put replaces a draft, or creates one with this id. If the activity is not a draft, the error is a conflict. version
// is the version that the caller saw; see oplog.Check.
func (as *Activities) Put(ctx context.Context, a *seckill.Activity, version int64) (*seckill.Activity, error) {
	_, err := as.Get(ctx, a.ID)
	if problem.CodeOf(err) == problem.CodeNotFound && version <= 0 {
		created, err := as.Create(ctx, a)
		if problem.CodeOf(err) != problem.CodeConflict { // somebody else has created it meanwhile
			return created, err
		}
		return as.replace(ctx, a, version)
	}
	if err != nil && problem.CodeOf(err) != problem.CodeNotFound {
		return nil, err
	}
	return as.replace(ctx, a, version)
}

func (as *Activities) replace(ctx context.Context, a *seckill.Activity, version int64) (*seckill.Activity, error) {
	unnamed := skusWithoutCurrency(a)
	if err := as.check(ctx, a); err != nil {
		return nil, err
	}
	var changed bool
	err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		before, err := lockVersion(ctx, tx, a.ID, version)
		if err != nil {
			return err
		}
		if err := keepsCurrencies(before, a, unnamed); err != nil {
			return err
		}
		if changed, err = updateDraft(ctx, tx, a); err != nil || !changed {
			return err
		}
		after := *a
		after.State, after.Lane, after.CreatedMS = before.State, before.Lane, before.CreatedMS
		after.Revision = before.Revision + 1
		return recordChange(ctx, tx, "changed", a.ID, loggedActivity(before), loggedActivity(&after))
	})
	switch {
	case err != nil:
		return nil, err
	case !changed:
		return nil, problem.Errorf(problem.CodeConflict, "Only a draft can be changed.")
	}
	return as.Get(ctx, a.ID)
}

// Delete deletes a draft. If the activity was published, the error is a conflict, since orders may refer to
// it. version is as in Put.
func (as *Activities) Delete(ctx context.Context, id string, version int64) error {
	if _, err := as.Get(ctx, id); err != nil {
		return err
	}
	var deleted bool
	err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		before, err := lockVersion(ctx, tx, id, version)
		if err != nil {
			return err
		}
		if deleted, err = deleteDraft(ctx, tx, id); err != nil || !deleted {
			return err
		}
		return recordChange(ctx, tx, "deleted", id, loggedActivity(before), nil)
	})
	switch {
	case err != nil:
		return err
	case !deleted:
		return problem.Errorf(problem.CodeConflict, "Only a draft can be deleted.")
	}
	return nil
}

// skusWithoutCurrency returns the skus of a request that doesn't say in which currency their prices are.
func skusWithoutCurrency(a *seckill.Activity) map[string]bool {
	unnamed := map[string]bool{}
	for _, g := range a.SKUs {
		if g.Currency == "" {
			unnamed[g.SKU] = true
		}
	}
	return unnamed
}

// keepsCurrencies refuses to replace a draft if the currency of a sku has changed since it was written, unless the
// request names the new currency: otherwise its price may be in the old one.
func keepsCurrencies(before, after *seckill.Activity, unnamed map[string]bool) error {
	if before == nil {
		return nil
	}
	for _, had := range before.SKUs {
		for _, g := range after.SKUs {
			if g.SKU == had.SKU && unnamed[g.SKU] && g.Currency != had.Currency {
				return problem.Errorf(
					problem.CodeConflict,
					"The price of sku %s in the draft is in %s, and the sku now has %s: "+
						"send skus[].currency with the price.",
					g.SKU,
					had.Currency,
					g.Currency,
				)
			}
		}
	}
	return nil
}

// check validates an activity against the catalogue: its skus and points must exist, and the skus must be of
// the activity's shop and have the same currency, that which the activity names. It notes the currencies and kinds.
func (as *Activities) check(ctx context.Context, a *seckill.Activity) error {
	if api.Outside(ctx, a.Shop) {
		return problem.Invalid("shop_id", "must be %s, the shop of this operator", api.ShopOf(ctx))
	}
	if a.EndsMS <= a.StartsMS {
		return problem.Invalid("ends_at", "must be after starts_at")
	}
	if !as.checks.Offers(a.HumanCheck) {
		return problem.Invalid("human_check", "is a check that is not configured")
	}
	if err := cmp.Or(a.Eligible.Check(), a.CheckMode()); err != nil {
		return err
	}
	if err := cmp.Or(a.CheckBasket(), checkReserved(a)); err != nil {
		return err
	}
	skus := map[string]bool{}
	currency := ""
	for i, g := range a.SKUs {
		field := fmt.Sprintf("skus[%d]", i)
		if skus[g.SKU] {
			return problem.Invalid(field+".sku_id", "is given twice")
		}
		skus[g.SKU] = true
		sku, err := as.goods.StoredSKU(ctx, g.SKU)
		switch {
		case problem.CodeOf(err) == problem.CodeNotFound, err == nil && api.Outside(ctx, sku.Shop):
			return problem.Invalid(field+".sku_id", "there is no such sku")
		case err != nil:
			return err
		case sku.Shop != a.Shop:
			return problem.Invalid(field+".sku_id", "belongs to another shop")
		case g.Currency != "" && g.Currency != sku.Currency:
			return problem.Invalid(field+".currency",
				"is %s, but the sku %s has the currency %s", g.Currency, g.SKU, sku.Currency)
		case currency != "" && currency != sku.Currency:
			return problem.Invalid(field+".sku_id", "has another currency")
		}
		currency = sku.Currency
		a.SKUs[i].Currency, a.SKUs[i].DraftedKind = sku.Currency, sku.Kind
		if err := as.checkPoints(ctx, field, sku, g.Stock); err != nil {
			return err
		}
		if err := checkWaves(field, a, g); err != nil {
			return err
		}
	}
	return a.CheckBundles()
}

func (as *Activities) checkPoints(
	ctx context.Context, field string, sku catalogue.SKU, stock []seckill.PointStock,
) error {
	points := map[string]bool{}
	for j, p := range stock {
		field := fmt.Sprintf("%s.stock[%d].point_id", field, j)
		if points[p.Point] {
			return problem.Invalid(field, "is given twice")
		}
		points[p.Point] = true
		if sku.Kind != catalogue.Physical && p.Point != catalogue.DefaultPoint {
			return problem.Invalid(field, `must be "0" for goods that are not delivered`)
		}
		_, err := as.goods.Point(ctx, p.Point)
		switch {
		case problem.CodeOf(err) == problem.CodeNotFound:
			return problem.Invalid(field, "there is no such stock point")
		case err != nil:
			return err
		}
	}
	return nil
}

// Get returns an activity in any state.
func (as *Activities) Get(ctx context.Context, id string) (*seckill.Activity, error) {
	a, err := seckill.ViewActivity(ctx, as.db, id)
	switch {
	case err != nil:
		return nil, problem.Unavailable(err, "The activity can't be read right now.")
	case a == nil:
		return nil, problem.NotFound("activity")
	}
	return a, nil
}

// GetOrCached returns one activity. While SQL is unavailable, it returns a cached copy, with fresh false.
// There are no copies of drafts.
func (as *Activities) GetOrCached(ctx context.Context, id string) (a *seckill.Activity, fresh bool, err error) {
	sqlCtx, cancel := context.WithTimeout(ctx, sqlStatsWithin)
	defer cancel()
	a, err = as.Get(sqlCtx, id)
	if problem.CodeOf(err) != problem.CodeUnavailable {
		return a, true, err
	}
	a, err = as.cache.Get(ctx, id)
	return a, false, err
}

// Offline closes a published activity immediately and permanently; placed orders remain valid. Like a Change, it is
// in SQL first, and ApplyChanges repeats what Redis doesn't get.
func (as *Activities) Offline(ctx context.Context, id string) (*seckill.Activity, error) {
	a, err := as.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if a.State == seckill.Draft {
		return nil, problem.Errorf(problem.CodeConflict, "The activity is a draft.")
	}
	err = as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		changed, err := setOffline(ctx, tx, id)
		if err != nil || !changed { // false: it is offline already
			return err
		}
		if err := announceOffline(ctx, tx, id, as.clock.NowMS()); err != nil {
			return err
		}
		after, err := lockActivity(ctx, tx, id)
		if err != nil {
			return err
		}
		return recordChange(ctx, tx, "taken_offline", id, stateValue{State: seckill.Published},
			stateValue{seckill.Offline, after.Revision})
	})
	if err != nil {
		return nil, err
	}
	return as.changed(ctx, id, "The activity is offline; it will be closed in Redis when Redis answers.")
}

// Reload loads an activity that Redis lost. If the activity is loaded or retired, or another load replaces this load,
// the error is a conflict.
func (as *Activities) Reload(ctx context.Context, id string) (*seckill.Activity, error) {
	a, err := as.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if a.State == seckill.Draft {
		return nil, problem.Errorf(problem.CodeConflict, "The activity is a draft.")
	}
	err = as.loader.Load(ctx, id)
	switch {
	case errors.Is(err, seckill.ErrLoaded):
		return nil, problem.Errorf(problem.CodeConflict, "The activity is already loaded.")
	case errors.Is(err, lua.ErrSuperseded):
		return nil, problem.Errorf(problem.CodeConflict, "Another load of the activity is running.")
	case errors.Is(err, seckill.ErrRetired):
		return nil, problem.Errorf(problem.CodeConflict, "The activity has ended and is retired.")
	case err != nil:
		return nil, notLoaded(err, "The activity can't be loaded right now.")
	}
	as.keep(ctx, id)
	// Loading runs longer than any transaction, so the record follows it.
	if err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		return recordChange(ctx, tx, "reloaded", id, nil, stateValue{State: a.State})
	}); err != nil {
		return nil, problem.Unavailable(err, "The activity is loaded; that you loaded it could not be recorded.")
	}
	return a, nil
}

// stateValue is the state of an activity in the operators' log.
type stateValue struct {
	State   seckill.State `json:"state"`
	Version int64         `json:"version,omitempty"`
}

// notLoaded returns the problem that operators receive when a load failed.
func notLoaded(err error, detail string) error {
	if lua.IsFull(err) {
		detail = "Redis is full: the activity will be loaded when it has memory for it."
	}
	return problem.Unavailable(err, detail)
}

// keep writes the copy of an activity to Redis. It only logs failures: the sale works without the copy, and
// the preheater writes missing ones.
func (as *Activities) keep(ctx context.Context, id string) {
	if err := as.cache.Keep(ctx, id); err != nil {
		as.log.WarnContext(ctx, "writing the copy of an activity to redis failed", "activity_id", id, "error", err)
	}
}
