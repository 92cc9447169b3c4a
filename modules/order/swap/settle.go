package swap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// prefix begins the ids of all rows; then comes the order number, a colon, and randomPart characters.
	prefix     = "change:swap:"
	prefixEnd  = "change:swap;"
	randomPart = 8
	// suffixFrom ends the id of a row that gives back the former sku of an order, suffixBack the id of a row that gives
	// back the units that a refused swap took.
	suffixFrom = ":from"
	suffixBack = ":back"

	kindTake = "swap"    // units to take in Redis
	kindGive = "restock" // units that are free in SQL, to add in Redis
)

const (
	// takeWithin is how long a Swapper may need from its first transaction to its second: a row of kindTake that is
	// older was left by a process that has ended.
	takeWithin = 15 * time.Second
	// settlePage bounds one run.
	settlePage = 100
)

var (
	errPending   = problem.Errorf(problem.CodeConflict, "The order is being changed; send it again in a moment.")
	errNoUnits   = problem.Errorf(problem.CodeConflict, "The other sku is sold out.")
	errOverLimit = problem.Errorf(problem.CodeConflict, "The purchase limit of the other sku is reached.")
	// errLoaded says that the sale was loaded meanwhile.
	errLoaded = errors.New("the sale is not loaded, or was loaded in between")
)

// row is a row of stock_outbox. Quantity is below 0 in one of kindTake.
type row struct {
	ID        string       `db:"outbox_id"`
	Kind      string       `db:"kind"`
	Activity  string       `db:"activity_id"`
	SKU       string       `db:"sku_id"`
	Point     string       `db:"point_id"`
	Quantity  int64        `db:"quantity"`
	Number    order.Number `db:"order_number"`
	User      string       `db:"user_id"`
	CreatedMS int64        `db:"created_ms"`
}

func insert(ctx context.Context, tx *sqlx.Tx, r *row) error {
	const insert = `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity,
		order_number, user_id, created_ms) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, r.ID, r.Kind, r.Activity, r.SKU, r.Point, r.Quantity, r.Number, r.User,
		r.CreatedMS); err != nil {
		return fmt.Errorf("insert the swap of order %s: %w", r.Number, err)
	}
	return nil
}

// remove deletes a row, and reports whether it was there.
func remove(ctx context.Context, tx *sqlx.Tx, r *row) (gone bool, err error) {
	res, err := tx.ExecContext(ctx, `DELETE FROM stock_outbox WHERE outbox_id = ?`, r.ID)
	if err != nil {
		return false, fmt.Errorf("remove the swap of order %s: %w", r.Number, err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Settler finishes swaps that a crash, or an unavailable store, has interrupted.
type Settler struct {
	d Deps

	mu    sync.Mutex
	after string // the id after which the next run begins, so that rows that can't be settled don't delay the others
}

// NewSettler returns a Settler; it needs no Ensure.
func NewSettler(d Deps) *Settler { return &Settler{d: d} }

// RunOnce settles pending rows, at most settlePage, and returns how many.
func (s *Settler) RunOnce(ctx context.Context) (settled int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []row
	const query = `SELECT outbox_id, kind, activity_id, sku_id, point_id, quantity, order_number, user_id, created_ms
		FROM stock_outbox WHERE outbox_id > ? AND outbox_id < ? ORDER BY outbox_id LIMIT ?`
	if err := s.d.DB.Write.SelectContext(ctx, &rows, query, max(s.after, prefix), prefixEnd, settlePage); err != nil {
		return 0, fmt.Errorf("select pending swaps: %w", err)
	}
	s.after = ""
	if len(rows) == settlePage {
		s.after = rows[len(rows)-1].ID
	}
	late := s.d.Now().Add(-takeWithin).UnixMilli()
	for i := range rows {
		r := &rows[i]
		owner := sqldb.StockOf(r.Activity)
		if ctx.Err() != nil || s.d.DB.Busy.Skips(owner) || r.Kind == kindTake && r.CreatedMS > late {
			continue
		}
		settle := s.finish
		if r.Kind == kindTake {
			settle = s.undo
		}
		failed := settle(ctx, r)
		s.d.DB.Busy.Note(owner, failed)
		if err = errors.Join(err, failed); failed == nil {
			settled++
		}
	}
	return settled, err
}

// epoch returns the epoch of the last load of a row's sale. The error is errPending if the row is gone: after a load,
// the scripts no longer know its id.
func (s *Settler) epoch(ctx context.Context, r *row) (epoch int64, err error) {
	var now struct {
		Epoch int64 `db:"epoch"`
		Rows  int   `db:"found"`
	}
	// One statement reads both, so a row that it finds was there under this epoch.
	const current = `SELECT (SELECT COALESCE(MAX(epoch), -1) FROM activity_stock WHERE activity_id = ?) AS epoch,
		(SELECT COUNT(*) FROM stock_outbox WHERE outbox_id = ?) AS found`
	if err := s.d.DB.Write.GetContext(ctx, &now, current, r.Activity, r.ID); err != nil {
		return 0, fmt.Errorf("select epoch of %s: %w", r.Activity, err)
	}
	if now.Rows == 0 {
		return 0, errPending
	}
	return now.Epoch, nil
}

// take takes the units of a row in Redis, once, and returns the epoch under which it did. The error is errNoUnits or
// errOverLimit if Redis refuses that; then the row is removed.
func (s *Settler) take(ctx context.Context, r *row) (epoch int64, err error) {
	if epoch, err = s.epoch(ctx, r); err != nil {
		return 0, err
	}
	code, err := s.change(ctx, r, epoch)
	if err != nil {
		return 0, err
	}
	if code == lua.Swapped {
		return epoch, nil
	}
	refused := errNoUnits
	if code == lua.SwapOverLimit {
		refused = errOverLimit
	}
	err = s.d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := remove(ctx, tx, r)
		return err
	})
	if err == nil {
		err = refused
	}
	return 0, err
}

// change runs swap_units.lua for a row. The error is errLoaded if the sale isn't loaded under the epoch.
func (s *Settler) change(ctx context.Context, r *row, epoch int64) (lua.SwapCode, error) {
	code, err := s.d.Lua.SwapUnits(ctx, r.Number.Lane(), r.Activity, epoch, r.ID, r.Quantity, r.SKU, r.Point, r.User)
	if err == nil && code == lua.SwapNotLoaded {
		err = fmt.Errorf("swap order %s: %w", r.Number, errLoaded)
	}
	return code, err
}

// undo gives back the units of a row of kindTake. It takes them first, if that wasn't done, so that it knows that Redis
// has taken them.
func (s *Settler) undo(ctx context.Context, r *row) error {
	epoch, err := s.take(ctx, r)
	if errors.Is(err, errNoUnits) || errors.Is(err, errOverLimit) || errors.Is(err, errPending) {
		return nil
	}
	if err != nil {
		return err
	}
	back := *r
	back.ID, back.Kind, back.Quantity = r.ID+suffixBack, kindGive, -r.Quantity
	err = s.d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if has, err := order.FenceAt(ctx, tx, r.Activity, epoch); err != nil || !has {
			return errors.Join(err, errLoaded)
		}
		if gone, err := remove(ctx, tx, r); err != nil || !gone { // another process has undone it, or the order has it
			return errors.Join(err, errPending)
		}
		return insert(ctx, tx, &back)
	})
	if errors.Is(err, errPending) {
		return nil
	}
	if err == nil {
		err = s.d.Faults.After("swap_undo")
	}
	if err != nil {
		return err
	}
	return s.finish(ctx, &back)
}

// finish adds the units of a row of kindGive in Redis, and removes the row.
func (s *Settler) finish(ctx context.Context, r *row) error {
	epoch, err := s.epoch(ctx, r)
	if errors.Is(err, errPending) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.HasSuffix(r.ID, suffixFrom) {
		err = s.giveFrom(ctx, r, epoch)
	} else {
		_, err = s.change(ctx, r, epoch)
	}
	if err == nil {
		err = s.d.Faults.After("swap_give")
	}
	if err != nil {
		return err
	}
	return s.d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if has, err := order.FenceAt(ctx, tx, r.Activity, epoch); err != nil || !has {
			return errors.Join(err, errLoaded) // the next run finds that the load has added them
		}
		_, err := remove(ctx, tx, r)
		return err
	})
}

// giveFrom gives back the units of the sku that an order had before.
func (s *Settler) giveFrom(ctx context.Context, r *row, epoch int64) error {
	found, err := order.SelectStored(ctx, s.d.DB.Write, []order.Number{r.Number})
	if err != nil {
		return err
	}
	o, stored := found[r.Number]
	if !stored {
		return fmt.Errorf("order %s of a swap is not stored", r.Number)
	}
	code, err := s.d.Lua.Swap(ctx, r.Number.Lane(), r.Activity, epoch, lua.Swap{
		ID: r.ID, Number: r.Number.String(), From: r.holdOf(r.SKU), To: r.holdOf(o.SKU),
		Paid: o.Status == order.Paid || o.Status == order.Refunded,
	})
	switch {
	case err != nil:
		return err
	case code == lua.SwapNotLoaded:
		return fmt.Errorf("swap order %s: %w", r.Number, errLoaded)
	case code == lua.SwapNotHeld && o.Status == order.Cancelled:
		// An older version has cancelled the order meanwhile: it gave back the units of the sku of before.
		other := *r
		other.SKU = o.SKU
		_, err = s.change(ctx, &other, epoch)
		return err
	case code == lua.SwapNotHeld:
		return fmt.Errorf("order %s, which was swapped, has no hold", r.Number)
	}
	return nil
}
