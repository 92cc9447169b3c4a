package inventory

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// Changer changes the stock of an activity while it sells, once per change id. A raise is committed in SQL
// first and then added in Redis; a lowering is taken from Redis first, under its change id, and then
// committed in SQL. RunOnce finishes changes that a crash has interrupted.
type Changer struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	now    func() time.Time
	log    *slog.Logger
	faults order.Faults

	// The next run resumes after this change, so that changes that can't be finished don't block the
	// others.
	mu     sync.Mutex
	lastMS int64
	lastID string
}

// NewChanger returns a Changer.
func NewChanger(d Deps) *Changer {
	return &Changer{db: d.DB, lua: d.Lua, now: d.Clock.Now, log: d.Log, faults: d.Faults}
}

// maxTotal is the maximum number of units of a sku at one stock point of a sale, including raises. Clients
// that parse numbers as doubles can sum 100,000 such totals exactly.
const maxTotal = 10_000_000_000

// ChangeState is the state of a stock change.
type ChangeState string

// The states of a stock change. All but pending are final.
const (
	ChangePending   ChangeState = "pending"
	ChangeDone      ChangeState = "done"
	ChangeRefused   ChangeState = "refused" // fewer units were left than it takes
	ChangeAbandoned ChangeState = "abandoned"
)

// StockChange is one change of an activity's stock, in units, as stock_outbox keeps it.
type StockChange struct {
	ID       string      `db:"outbox_id"`
	State    ChangeState `db:"state"`
	Activity string      `db:"activity_id"`
	SKU      string      `db:"sku_id"`
	Point    string      `db:"point_id"`
	Delta    int64       `db:"quantity"`

	// Version is the version of the activity that the caller saw; see oplog.Check. A change that is known already is
	// not compared with it.
	Version int64 `db:"-"`

	// Quantity is the total that a new change shall lead to, which then sets Delta; nil if Delta is given.
	Quantity *int64 `db:"-"`

	Replayed bool `db:"-"` // an earlier call began it
}

// changePrefix is the prefix of the ids of changes. Other rows of stock_outbox don't have it.
const changePrefix = "change:"

// ChangeID derives the id of a change from its activity, the operator and the Idempotency-Key.
func ChangeID(activity, operator, key string) string {
	return changePrefix + sign.Digest(18, activity, operator, key)
}

// maxRefused bounds how often a change may be refused under one Idempotency-Key.
const maxRefused = 100

// NextID returns the id under which a request with an Idempotency-Key changes the stock now. It is the id of the change
// that the key began earlier, unless this change was refused. A refused change stays refused in both stores, so that no
// late call carries it out; the next request with its key is another change.
func (c *Changer) NextID(ctx context.Context, activity, operator, key string) (string, error) {
	id := ChangeID(activity, operator, key)
	for refused := range maxRefused {
		if refused > 0 {
			id = ChangeID(activity, operator, key+" "+strconv.Itoa(refused)) // no key has a space
		}
		var state ChangeState
		err := c.db.Write.GetContext(ctx, &state, `SELECT state FROM stock_outbox WHERE outbox_id = ?`, id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return id, nil
		case err != nil:
			return "", fmt.Errorf("select stock change: %w", err)
		case state == ChangePending, state == ChangeDone:
			return id, nil
		}
	}
	return "", problem.Errorf(problem.CodeConflict,
		"Changes with this Idempotency-Key were refused %d times.", maxRefused)
}

var errChangeRetired = problem.Errorf(problem.CodeConflict,
	"The activity has ended and is retired; its stock can't be changed any more.")

// Change carries out a change and returns its state: done, or pending if it can't be finished now, for
// example because Redis is unavailable; then the job finishes it. A repeated call with the same id does
// nothing more. The same id with another change is idempotency_key_reused. Taking more units than are left
// is a conflict, and so is a change of a sale that is retired or not published.
func (c *Changer) Change(ctx context.Context, want StockChange) (ChangeState, error) {
	return c.change(ctx, &want)
}

// ChangeKeyed is Change of a change of an operator with an Idempotency-Key, from which it gets its id; it returns the
// change with its state.
func (c *Changer) ChangeKeyed(ctx context.Context, operator, key string, want StockChange) (StockChange, error) {
	var err error
	if want.ID, err = c.NextID(ctx, want.Activity, operator, key); err == nil {
		want.State, err = c.change(ctx, &want)
	}
	return want, err
}

// SetStock is Change of a change with a Quantity and a new id; it returns the change with its Delta.
func (c *Changer) SetStock(ctx context.Context, want StockChange) (StockChange, error) {
	want.ID = changePrefix + rand.Text()
	state, err := c.change(ctx, &want)
	want.State = state
	return want, err
}

// SetTotal is SetStock for a caller that goes on changing the activity: it returns the version that the activity has
// if nobody else changes it.
func (c *Changer) SetTotal(
	ctx context.Context, activity, sku, point string, total, version int64,
) (next int64, err error) {
	change, err := c.SetStock(ctx, StockChange{
		Activity: activity, SKU: sku, Point: point, Quantity: &total, Version: version,
	})
	switch {
	case change.Delta == 0:
		return version, err
	case change.Delta < 0 && change.State == ChangeDone: // one version as it began, and one as it took the units
		return version + 2, err
	}
	return version + 1, err
}

func (c *Changer) change(ctx context.Context, want *StockChange) (ChangeState, error) {
	lane, err := c.begin(ctx, want)
	if sqldb.IsDuplicate(err) { // a concurrent call has inserted the same change
		onSameChange.Mark()
		lane, err = c.begin(ctx, want)
	}
	switch {
	case err != nil && !problem.Is(err):
		return "", problem.Unavailable(err, "The stock can't be changed right now.")
	case err != nil:
		return "", err
	}
	state := want.State
	if state == ChangePending {
		if err := c.faults.After("change_begin"); err != nil {
			return "", err
		}
		if state, err = c.finish(ctx, lane, *want); err != nil {
			onChangePending.Mark()
			c.log.WarnContext(ctx, "a stock change stays pending", "activity_id", want.Activity,
				"change_id", want.ID, "error", err)
			return ChangePending, nil
		}
	}
	switch state {
	case ChangeRefused:
		return "", problem.Errorf(problem.CodeConflict, "Fewer units are left than the change takes.")
	case ChangeAbandoned:
		return "", problem.Errorf(problem.CodeConflict, "The change was abandoned.")
	case ChangePending, ChangeDone:
	}
	return state, nil
}

// begin inserts the change into SQL, a raise together with its units, unless it is there already, and sets
// want.State to the state of the change.
func (c *Changer) begin(ctx context.Context, want *StockChange) (lane int, err error) {
	err = c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		var a seckill.Activity
		err := tx.GetContext(ctx, &a, `SELECT `+seckill.ActivityColumns+` FROM activities WHERE activity_id = ?`,
			want.Activity)
		if errors.Is(err, sql.ErrNoRows) {
			return problem.NotFound("activity")
		}
		if err != nil {
			return fmt.Errorf("select activity %s: %w", want.Activity, err)
		}
		lane = a.Lane
		had, err := selectChange(ctx, tx, want.ID)
		if err != nil {
			return err
		}
		if had != nil {
			want.State, had.Version, had.Quantity = had.State, want.Version, want.Quantity
			if *had != *want {
				return problem.Errorf(problem.CodeIdempotencyKeyReused,
					"This Idempotency-Key was used for another change.")
			}
			want.Replayed = true
			return nil
		}
		if a.State != seckill.Published {
			return problem.Errorf(problem.CodeConflict,
				"The activity is %s; its stock changes only while it is published.", a.State)
		}
		if a.RetiredMS != 0 {
			return errChangeRetired
		}
		return c.insert(ctx, tx, want)
	})
	return lane, err
}

func (c *Changer) insert(ctx context.Context, tx *sqlx.Tx, want *StockChange) error {
	want.State = ChangePending
	if want.Quantity != nil {
		if err := toQuantity(ctx, tx, want); err != nil || want.Delta == 0 {
			return err
		}
	}
	raised := max(want.Delta, 0)
	res, err := tx.ExecContext(ctx,
		`UPDATE activity_stock SET total = total + ? WHERE activity_id = ? AND sku_id = ? AND point_id = ?
			AND total + ? <= ?`, raised, want.Activity, want.SKU, want.Point, raised, int64(maxTotal))
	if err != nil {
		return fmt.Errorf("raise stock: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("raise stock: %w", err)
	}
	if n == 0 {
		return noSuchStock(ctx, tx, want)
	}
	if err := raiseRevision(ctx, tx, want.Activity); err != nil {
		return err
	}
	// Retiring locks the row that was just updated, so retired_ms can't change until this commits.
	var a seckill.Activity
	if err := tx.GetContext(ctx, &a, `SELECT retired_ms, revision FROM activities WHERE activity_id = ?`,
		want.Activity); err != nil {
		return fmt.Errorf("select activity %s: %w", want.Activity, err)
	}
	if a.RetiredMS != 0 {
		return errChangeRetired
	}
	if err := oplog.Check(ctx, tx, "activity:"+want.Activity, want.Version, a.Revision-1); err != nil {
		return err
	}
	const insert = `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity,
		order_number, user_id, created_ms)
		VALUES (?, 'change', 'pending', ?, ?, ?, ?, 0, '', ?)`
	if _, err := tx.ExecContext(ctx, insert, want.ID, want.Activity, want.SKU, want.Point, want.Delta,
		c.now().UnixMilli()); err != nil {
		return fmt.Errorf("insert stock change: %w", err)
	}
	return recordStockChange(ctx, tx, want, a.Revision)
}

// raiseRevision gives an activity a new version, since the totals that operators see have changed, or will change by a
// change that has begun. The caller has locked its rows of stock before: whoever locks both locks them in this order.
func raiseRevision(ctx context.Context, tx *sqlx.Tx, activity string) error {
	const update = `UPDATE activities SET revision = revision + 1 WHERE activity_id = ?`
	if _, err := tx.ExecContext(ctx, update, activity); err != nil {
		return fmt.Errorf("raise the version of %s: %w", activity, err)
	}
	return nil
}

// noSuchStock returns why no stock row was updated: there is none, or its total would exceed maxTotal.
func noSuchStock(ctx context.Context, tx *sqlx.Tx, want *StockChange) error {
	var n int
	const query = `SELECT COUNT(*) FROM activity_stock WHERE activity_id = ? AND sku_id = ? AND point_id = ?`
	if err := tx.GetContext(ctx, &n, query, want.Activity, want.SKU, want.Point); err != nil {
		return fmt.Errorf("look up stock of %s: %w", want.Activity, err)
	}
	if n == 0 {
		return problem.Errorf(problem.CodeNotFound, "The activity has no stock of this sku at this point.")
	}
	return problem.Errorf(problem.CodeConflict, "A stock point can have at most %d units of a sku.", int64(maxTotal))
}

func selectChange(ctx context.Context, tx *sqlx.Tx, id string) (*StockChange, error) {
	var had StockChange
	err := tx.GetContext(ctx, &had, `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE outbox_id = ?`, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select stock change: %w", err)
	}
	return &had, nil
}

// finish carries out a pending change in Redis, closes it in SQL, and returns its final state. It reads the epoch
// before it calls Redis, and Redis and SQL refuse any other epoch: if the activity is loaded in between, that load has
// treated the change as pending, or as done if another call finished it meanwhile.
func (c *Changer) finish(ctx context.Context, lane int, ch StockChange) (ChangeState, error) {
	var now struct {
		State ChangeState `db:"state"`
		Epoch int64       `db:"epoch"`
	}
	// One statement reads both, so a change that it returns as pending was pending under this epoch.
	const current = `SELECT state, (SELECT COALESCE(MAX(epoch), -1) FROM activity_stock WHERE activity_id = ?) AS epoch
		FROM stock_outbox WHERE outbox_id = ?`
	if err := c.db.Write.GetContext(ctx, &now, current, ch.Activity, ch.ID); err != nil {
		return "", fmt.Errorf("select stock change and epoch of %s: %w", ch.Activity, err)
	}
	if now.State != ChangePending {
		return now.State, nil
	}
	code, err := c.lua.ChangeStock(ctx, lane, ch.Activity, now.Epoch, ch.ID, ch.SKU, ch.Point, ch.Delta)
	if err != nil {
		return "", err
	}
	if err := c.faults.After("change_stock"); err != nil {
		return "", err
	}
	switch code {
	case lua.ChangeApplied, lua.ChangeKnown:
		if code == lua.ChangeKnown {
			onChangeKnown.Mark()
		}
		return ChangeDone, c.close(ctx, ch, now.Epoch, ChangeDone)
	case lua.ChangeTooMuch:
		onChangeTooMuch.Mark()
		return ChangeRefused, c.close(ctx, ch, now.Epoch, ChangeRefused)
	case lua.ChangeNotLoaded:
		onChangeNotLoaded.Mark()
		return "", fmt.Errorf("change stock of %s: the activity is not loaded, or was loaded again meanwhile",
			ch.Activity)
	}
	return "", fmt.Errorf("change stock of %s: script returned %d", ch.Activity, code)
}

// close sets the final state of a change in SQL, and removes the units of a lowering that is done.
func (c *Changer) close(ctx context.Context, ch StockChange, epoch int64, state ChangeState) error {
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		taken := int64(0)
		if state == ChangeDone {
			taken = max(-ch.Delta, 0)
		}
		// The change is updated first, so that only one of two concurrent calls removes its units.
		res, err := tx.ExecContext(ctx, `UPDATE stock_outbox SET state = ? WHERE outbox_id = ? AND state = 'pending'`,
			state, ch.ID)
		if err != nil {
			return fmt.Errorf("close stock change: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		const update = `UPDATE activity_stock SET total = total - ?
			WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND epoch = ?`
		res, err = tx.ExecContext(ctx, update, taken, ch.Activity, ch.SKU, ch.Point, epoch)
		if err != nil {
			return fmt.Errorf("lower stock: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("lower stock: %w", err)
		}
		if n == 0 {
			onCloseLoaded.Mark()
			return fmt.Errorf("change stock of %s: the activity was loaded again meanwhile", ch.Activity)
		}
		if taken > 0 {
			if err := raiseRevision(ctx, tx, ch.Activity); err != nil {
				return err
			}
		}
		if state == ChangeDone { // it was recorded when it began
			return nil
		}
		return recordOutcome(ctx, tx, ch, state)
	})
}

// appliedChanges returns the pending raises and restocks of an activity as pairs of id and delta for the changes hash.
// SQL has their units already, so a load adds them to the stock, and the scripts must not add them again.
func appliedChanges(ctx context.Context, tx *sqlx.Tx, activity string) ([]string, error) {
	var changes []StockChange
	const query = `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND kind IN ('change', 'restock') AND activity_id = ? AND quantity > 0`
	if err := tx.SelectContext(ctx, &changes, query, activity); err != nil {
		return nil, fmt.Errorf("select pending stock changes of %s: %w", activity, err)
	}
	var applied []string
	for _, ch := range changes {
		applied = append(applied, ch.ID, strconv.FormatInt(ch.Delta, 10))
	}
	return applied, nil
}
