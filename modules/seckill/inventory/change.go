package inventory

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// Changer changes the stock of an activity while it sells, once per change id. A raise is
// committed in SQL first and offered in Redis after; a lowering is taken in Redis first, under its
// change id, and committed in SQL after. What a crash leaves between is finished by RunOnce.
type Changer struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	now    func() time.Time
	log    *slog.Logger
	faults order.Faults

	// The next run goes on behind this change: those that can't be finished don't keep the others
	// waiting.
	mu     sync.Mutex
	lastMS int64
	lastID string
}

// NewChanger makes a changer.
func NewChanger(p order.Parts) *Changer {
	return &Changer{db: p.DB, lua: p.Lua, now: p.Now, log: p.Log, faults: p.Faults}
}

// maxTotal bounds what a stock point has of a sku in a sale, raises included: 100,000 times as much
// is still a whole number to clients that read numbers as doubles.
const maxTotal = 10_000_000_000

// StockChange is one change of an activity's stock as stock_outbox keeps it.
type StockChange struct {
	ID       string `db:"outbox_id"`
	State    string `db:"state"` // pending, done, refused, abandoned
	Activity string `db:"activity_id"`
	SKU      string `db:"sku_id"`
	Point    string `db:"point_id"`
	Delta    int64  `db:"quantity"`
}

// changePrefix begins the id of a change, unlike those of the other rows of stock_outbox.
const changePrefix = "change:"

// ChangeID names a change by its activity and the operator's Idempotency-Key.
func ChangeID(activity, key string) string {
	sum := sha256.Sum256([]byte(activity + "\x00" + key))
	return changePrefix + base64.RawURLEncoding.EncodeToString(sum[:18])
}

// errRefused says that less is left than was to be taken.
var errRefused = errors.New("less is left")

var errChangeRetired = problem.Errorf(problem.CodeConflict, "The activity has ended and is retired; its stock doesn't change any more.")

// Change carries a change out and says where it stands: done, or pending where Redis is away and
// the job will finish it. Repeating it with the same id does nothing more; the same id with another
// change is idempotency_key_reused. Taking more than is left is a conflict, as is a sale that is
// retired: nothing is sold from it any more.
func (c *Changer) Change(ctx context.Context, want StockChange) (state string, err error) {
	lane, err := c.begin(ctx, &want)
	if sqldb.IsDuplicate(err) { // the same change at the same time: it is there now
		lane, err = c.begin(ctx, &want)
	}
	switch {
	case err != nil && !problem.Is(err):
		return "", problem.Unavailable(err, "The stock can't be changed right now.")
	case err != nil:
		return "", err
	}
	if want.State == "pending" {
		if err := c.faults.After("change_begin"); err != nil {
			return "", err
		}
		err = c.finish(ctx, lane, want)
	}
	switch {
	case want.State == "refused", errors.Is(err, errRefused):
		return "", problem.Errorf(problem.CodeConflict, "Less is left than was to be taken.")
	case want.State == "abandoned", errors.Is(err, errAbandoned):
		return "", problem.Errorf(problem.CodeConflict, "The change was abandoned.")
	case err != nil:
		c.log.WarnContext(ctx, "a stock change stays pending", "activity_id", want.Activity, "change_id", want.ID, "err", err)
		return "pending", nil
	}
	return "done", nil
}

// begin notes the change in SQL, a raise together with its units, and sets want.State to where
// it stands.
func (c *Changer) begin(ctx context.Context, want *StockChange) (lane int, err error) {
	err = c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		var a seckill.Activity
		err := tx.GetContext(ctx, &a, `SELECT `+seckill.ActivityColumns+` FROM activities WHERE activity_id = ?`, want.Activity)
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
			want.State = had.State
			if *had != *want {
				return problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another change.")
			}
			return nil
		}
		if a.State != seckill.Published {
			return problem.Errorf(problem.CodeConflict, "The activity is %s; its stock changes only while it is published.", a.State)
		}
		if a.RetiredMS != 0 {
			return errChangeRetired
		}
		return c.note(ctx, tx, want)
	})
	return lane, err
}

func (c *Changer) note(ctx context.Context, tx *sqlx.Tx, want *StockChange) error {
	want.State = "pending"
	raised := max(want.Delta, 0)
	res, err := tx.ExecContext(ctx, `UPDATE activity_stock SET total = total + ? WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND total + ? <= ?`,
		raised, want.Activity, want.SKU, want.Point, raised, int64(maxTotal))
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
	// Retiring holds the row that was just changed, so from here on the answer is final.
	var retiredMS int64
	if err := tx.GetContext(ctx, &retiredMS, `SELECT retired_ms FROM activities WHERE activity_id = ?`, want.Activity); err != nil {
		return fmt.Errorf("select activity %s: %w", want.Activity, err)
	}
	if retiredMS != 0 {
		return errChangeRetired
	}
	const insert = `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity, order_number, user_id, created_ms)
		VALUES (?, 'change', 'pending', ?, ?, ?, ?, 0, '', ?)`
	if _, err := tx.ExecContext(ctx, insert, want.ID, want.Activity, want.SKU, want.Point, want.Delta, c.now().UnixMilli()); err != nil {
		return fmt.Errorf("note stock change: %w", err)
	}
	return nil
}

// noSuchStock says why the stock of a change was not found: it isn't there, or would be too much.
func noSuchStock(ctx context.Context, tx *sqlx.Tx, want *StockChange) error {
	var n int
	const query = `SELECT COUNT(*) FROM activity_stock WHERE activity_id = ? AND sku_id = ? AND point_id = ?`
	if err := tx.GetContext(ctx, &n, query, want.Activity, want.SKU, want.Point); err != nil {
		return fmt.Errorf("look for stock of %s: %w", want.Activity, err)
	}
	if n == 0 {
		return problem.Errorf(problem.CodeNotFound, "The activity has no stock of this sku at this point.")
	}
	return problem.Errorf(problem.CodeConflict, "A stock point has at most %d of a sku.", int64(maxTotal))
}

func selectChange(ctx context.Context, tx *sqlx.Tx, id string) (*StockChange, error) {
	var had StockChange
	err := tx.GetContext(ctx, &had, `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox WHERE outbox_id = ?`, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("select stock change: %w", err)
	}
	return &had, nil
}

// finish brings a pending change to its end. The epoch is read before Redis is asked, and Redis and
// SQL refuse another: if the activity is loaded in between, the load has dealt with the change as
// pending, or as done where somebody else finished it meanwhile.
func (c *Changer) finish(ctx context.Context, lane int, ch StockChange) error {
	var now struct {
		State string `db:"state"`
		Epoch int64  `db:"epoch"`
	}
	// In one statement: a change that is pending was pending under this very epoch.
	const current = `SELECT state, (SELECT COALESCE(MAX(epoch), -1) FROM activity_stock WHERE activity_id = ?) AS epoch
		FROM stock_outbox WHERE outbox_id = ?`
	if err := c.db.Write.GetContext(ctx, &now, current, ch.Activity, ch.ID); err != nil {
		return fmt.Errorf("select stock change and epoch of %s: %w", ch.Activity, err)
	}
	switch now.State {
	case "done":
		return nil
	case "refused":
		return errRefused
	case "abandoned":
		return errAbandoned
	}
	code, err := c.lua.ChangeStock(ctx, lane, ch.Activity, now.Epoch, ch.ID, ch.SKU, ch.Point, ch.Delta)
	if err != nil {
		return err
	}
	if err := c.faults.After("change_stock"); err != nil {
		return err
	}
	switch code {
	case lua.ChangeApplied, lua.ChangeKnown:
		return c.close(ctx, ch, now.Epoch, "done")
	case lua.ChangeTooMuch:
		if err := c.close(ctx, ch, now.Epoch, "refused"); err != nil {
			return err
		}
		return errRefused
	case lua.ChangeNotLoaded:
		return fmt.Errorf("change stock of %s: it is not loaded, or was loaded meanwhile", ch.Activity)
	}
	return fmt.Errorf("change stock of %s: script returned %d", ch.Activity, code)
}

// close ends a change in SQL, a lowering together with its units.
func (c *Changer) close(ctx context.Context, ch StockChange, epoch int64, state string) error {
	return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		taken := int64(0)
		if state == "done" {
			taken = max(-ch.Delta, 0)
		}
		// The row of the change goes first: two that finish it must not both take its units.
		res, err := tx.ExecContext(ctx, `UPDATE stock_outbox SET state = ? WHERE outbox_id = ? AND state = 'pending'`, state, ch.ID)
		if err != nil {
			return fmt.Errorf("close stock change: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		const update = `UPDATE activity_stock SET total = total - ? WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND epoch = ?`
		res, err = tx.ExecContext(ctx, update, taken, ch.Activity, ch.SKU, ch.Point, epoch)
		if err != nil {
			return fmt.Errorf("lower stock: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("lower stock: %w", err)
		}
		if n == 0 {
			return fmt.Errorf("change stock of %s: it was loaded meanwhile", ch.Activity)
		}
		return nil
	})
}

// appliedChanges are the pending raises of an activity as pairs for the changes hash: SQL has
// their units, so that a load offers them, and the script must not offer them again.
func appliedChanges(ctx context.Context, tx *sqlx.Tx, activity string) ([]string, error) {
	var changes []StockChange
	const query = `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND kind = 'change' AND activity_id = ? AND quantity > 0`
	if err := tx.SelectContext(ctx, &changes, query, activity); err != nil {
		return nil, fmt.Errorf("select pending stock changes of %s: %w", activity, err)
	}
	var applied []string
	for _, ch := range changes {
		applied = append(applied, ch.ID, strconv.FormatInt(ch.Delta, 10))
	}
	return applied, nil
}
