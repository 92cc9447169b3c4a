package inventory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	ordercounts "onrush/modules/order/counts"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Auditor compares the units in Redis with those in SQL, and repairs differences.
type Auditor struct {
	cfg    AuditConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	now    func() time.Time
	log    *slog.Logger
	faults order.Faults

	fencing chan struct{} // a semaphore: one account at a time is behind the fence

	mu       sync.Mutex
	after    string               // the job resumes after this activity
	drifts   map[string]drift     // by activity
	compared map[string]time.Time // when the job last compared holds and counts of a large sale
	unproven map[string]time.Time // when the job last compared a large sale that it could not repair
}

// NewAuditor returns an Auditor.
func NewAuditor(cfg AuditConfig, d Deps) *Auditor {
	return &Auditor{
		cfg: cfg.withDefaults(), db: d.DB, lua: d.Lua, now: d.Clock.Now, log: d.Log, faults: d.Faults,
		fencing: make(chan struct{}, 1), compared: map[string]time.Time{}, unproven: map[string]time.Time{},
		drifts: map[string]drift{},
	}
}

// Audit is the account of one activity. OK means that no drift, no wrong count under a purchase limit and no stuck
// stock change was found.
type Audit struct {
	OK     bool         `json:"ok"`
	Items  []AuditItem  `json:"items"`
	Totals []AuditTotal `json:"totals"`
	// Compared says that holds and counts were compared, one by one. For a large sale only a repair, and
	// the job once per compareEvery, does that.
	Compared     bool  `json:"compared"`
	HoldsMissing int64 `json:"holds_missing"` // of unpaid and queued orders
	HoldsStale   int64 `json:"holds_stale"`   // of orders that no longer hold units; harmless
	BoughtWrong  int64 `json:"bought_wrong"`  // counts under a purchase limit
	PaidWrong    int64 `json:"paid_wrong"`    // counts of units paid; they only decide what a sold-out sale answers

	ChangesPending int64 `json:"changes_pending"` // stock changes that are not finished
	ChangesStuck   int64 `json:"changes_stuck"`   // those that have been pending for more than a minute

	unknown int64 // orders that may have taken units of which the account knows nothing
}

// AuditTotal compares the total of a sku in Redis with the sum of its points in Redis, in units:
// drift = remaining − points.
type AuditTotal struct {
	SKU       string `json:"sku_id"`
	Remaining int64  `json:"remaining"`
	Points    int64  `json:"points"`
	Drift     int64  `json:"drift"`
}

// AuditItem is the account of one sku at one point, in units:
// drift = remaining + offered + placed + sold + returning + changing − total. If drift is above 0, the activity would
// oversell.
type AuditItem struct {
	SKU       string `json:"sku_id"`
	Point     string `json:"point_id"`
	Total     int64  `json:"total"`
	Remaining int64  `json:"remaining"`         // in Redis
	Offered   int64  `json:"offered,omitempty"` // in Redis, kept for buyers who waited
	Placed    int64  `json:"placed"`            // of queue and dead entries whose order SQL doesn't have
	Sold      int64  `json:"sold"`              // of orders in SQL, neither cancelled nor failed
	Returning int64  `json:"returning"`         // of orders that are cancelled or over a limit, still held
	Changing  int64  `json:"changing"`          // of stock changes that only one of the stores has applied
	Drift     int64  `json:"drift"`
}

var (
	// errNotLoaded says that Redis doesn't have the activity.
	errNotLoaded = errors.New("the activity is not loaded")
	// errOtherLoad says that Redis has another load of the activity than SQL: an older copy of one of the stores was
	// restored. The preheater loads the activity again.
	errOtherLoad = fmt.Errorf("%w as SQL has it", errNotLoaded)
	// errMoving says that more changed during the account than can be read behind the fence.
	errMoving = errors.New("too much is changing at the moment")
)

// Audit returns the account of an activity, and compares holds and counts if the sale is not large. If the
// activity isn't loaded, the error is a conflict.
func (au *Auditor) Audit(ctx context.Context, id string) (*Audit, error) {
	audit, _, err := au.audit(ctx, id, job{compare: ifSmall})
	return audit, au.explain(err)
}

// Account returns the account of an activity without comparing holds and counts, as the job does for a
// large sale.
func (au *Auditor) Account(ctx context.Context, id string) (*Audit, error) {
	audit, _, err := au.audit(ctx, id, job{compare: never})
	return audit, au.explain(err)
}

// Repair restores missing holds, removes the holds of orders that no longer hold units, corrects the counts
// under purchase limits and of units paid, and corrects the stock so that every drift is 0 once SQL has the queued
// orders. It returns the account after the repair.
func (au *Auditor) Repair(ctx context.Context, id string) (*Audit, error) {
	before, _, err := au.audit(ctx, id, job{compare: never})
	if err != nil {
		return nil, au.explain(err)
	}
	audit, _, err := au.audit(ctx, id, job{compare: always, mend: mendAll})
	if err == nil {
		err = au.recordRepair(ctx, id, before, audit)
	}
	return audit, au.explain(err)
}

// explain returns the problem that an operator receives for err.
func (au *Auditor) explain(err error) error {
	switch {
	case errors.Is(err, errOtherLoad):
		return problem.Errorf(problem.CodeConflict,
			"Redis has another load of the activity than the database; it is being loaded again.")
	case errors.Is(err, errNotLoaded):
		return problem.Errorf(problem.CodeConflict, "The activity is not loaded; reload it first.")
	case errors.Is(err, errMoving):
		return problem.Unavailable(err, "Too much is changing at the moment; try again.")
	case err != nil && !problem.Is(err):
		return problem.Unavailable(err, "The account can't be computed right now.")
	}
	return err
}

// job says what an audit compares and repairs.
type job struct {
	compare comparing
	mend    mending
	agrees  *Audit // with mendProven: an earlier account, with which a drift must agree
}

// comparing says when holds and counts are compared one by one.
type comparing int

const (
	ifSmall comparing = iota
	always
	never
)

// mending is what an audit repairs.
type mending int

const (
	mendNothing  mending = iota
	mendAll              // holds, counts and drift
	mendOversell         // only drift above 0
	mendProven           // holds, counts, and drift that is proven; see Auditor.repairProven
)

// smallSale is the maximum number of stored orders of a sale whose holds and counts every audit compares.
const smallSale = 20_000

// maxAccounts bounds how often an account is computed: again after a repair, or because too much changed
// meanwhile.
const maxAccounts = 5

// audit compares, repairs and computes the account, as j says. mended reports whether it repaired anything.
func (au *Auditor) audit(ctx context.Context, id string, j job) (audit *Audit, mended bool, err error) {
	var found comparison
	compare := j.compare == always
	if j.compare == ifSmall {
		counts, err := ordercounts.Statuses(ctx, au.db.Write, id)
		if err != nil {
			return nil, false, err
		}
		compare = counts.All() <= smallSale
	}
	if compare {
		if found, err = au.compare(ctx, id, j.mend); err != nil {
			return nil, false, err
		}
		if mended = found.mended > 0; mended {
			onHoldsMended.Mark()
			if found, err = au.compare(ctx, id, mendNothing); err != nil {
				return nil, false, err
			}
		}
	}
	for try := 1; ; try++ {
		acc, err := au.account(ctx, id)
		if errors.Is(err, errMoving) && try < maxAccounts {
			onMoving.Mark()
			continue
		}
		if err != nil {
			return nil, false, err
		}
		audit = acc.audit()
		audit.unknown = acc.unknown + found.unexplained
		add := audit.correction(j.mend, j.agrees)
		if len(add) == 0 || try == maxAccounts {
			break
		}
		onStockMended.Mark()
		au.log.WarnContext(ctx, "activity repaired", "activity_id", id, "stock_added", add)
		done, err := au.lua.Repair(ctx, acc.activity.Lane, id, acc.epoch, acc.repairs, nil, nil, add)
		if err != nil {
			return nil, false, err
		}
		mended = mended || done
	}
	audit.Compared = compare
	audit.HoldsMissing, audit.HoldsStale, audit.BoughtWrong = found.missing, found.stale, found.bought
	audit.PaidWrong = found.paid
	audit.OK = audit.OK && found.bought == 0 && audit.ChangesStuck == 0
	return audit, mended, nil
}

// audit computes the drifts of the account.
func (acc *account) audit() *Audit {
	audit := &Audit{OK: true, ChangesPending: acc.pending, ChangesStuck: acc.stuck}
	for _, g := range acc.activity.SKUs {
		if len(g.Parts) > 0 { // a bundle, which has no units of its own
			continue
		}
		var sum int64
		for _, p := range g.Stock {
			field := lua.StockField(g.SKU, p.Point)
			item := AuditItem{
				SKU: g.SKU, Point: p.Point, Total: p.Total, Sold: p.Sold,
				Remaining: acc.stock[field], Placed: acc.placed[field], Returning: acc.returning[field],
				Changing: acc.changing[field], Offered: acc.offered[field],
			}
			sum += item.Remaining
			item.Drift = item.held() - item.Total
			audit.OK = audit.OK && item.Drift == 0
			audit.Items = append(audit.Items, item)
		}
		inAll := acc.stock[g.SKU]
		audit.OK = audit.OK && inAll == sum
		audit.Totals = append(audit.Totals, AuditTotal{SKU: g.SKU, Remaining: inAll, Points: sum, Drift: inAll - sum})
	}
	return audit
}

// correction returns the units to add, by stock field. With mendOversell it adds no units at any point, it
// only removes them; the total of each corrected sku is set to the sum of its points, which limit its sales.
// With mendProven it adds units that an earlier account, agrees, lacked as well, if every order's units are known.
func (a *Audit) correction(mend mending, agrees *Audit) map[string]int64 {
	if mend == mendNothing {
		return nil
	}
	add := map[string]int64{}
	mended := map[string]bool{}
	proven := func(same bool) bool { return mend == mendAll || mend == mendProven && same && a.unknown == 0 }
	for i, item := range a.Items {
		drift := item.lasting()
		same := agrees != nil && i < len(agrees.Items) && item.isOf(&agrees.Items[i]) &&
			agrees.Items[i].lasting() == drift
		if drift > 0 || (drift < 0 && proven(same)) {
			add[item.SKU] -= drift
			add[lua.StockField(item.SKU, item.Point)] -= drift
			mended[item.SKU] = true
		}
	}
	for i, total := range a.Totals {
		same := agrees != nil && i < len(agrees.Totals) && agrees.Totals[i].SKU == total.SKU &&
			agrees.Totals[i].Drift == total.Drift
		if total.Drift != 0 && (proven(same) || mended[total.SKU]) {
			add[total.SKU] -= total.Drift
		}
	}
	return add
}

// held returns the units that the account found.
func (item *AuditItem) held() int64 {
	return item.Remaining + item.Offered + item.Placed + item.Sold + item.Returning + item.Changing
}

// lasting returns the drift without the placed units for which SQL has no room: SQL will refuse their orders, whose
// units don't come back, and this part of the drift ends.
func (item *AuditItem) lasting() int64 { return item.Drift - max(item.Placed+item.Sold-item.Total, 0) }

// isOf reports whether two items are of the same sku and point.
func (item *AuditItem) isOf(other *AuditItem) bool {
	return item.SKU == other.SKU && item.Point == other.Point
}
