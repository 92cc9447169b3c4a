package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/receiver"
	"onrush/modules/sqldb"
)

// ReceiversConfig bounds the work of Receivers.
type ReceiversConfig struct {
	// Page is how many orders one transaction reads and changes, 1 to 1000. Default 100: their buyers wait for it.
	Page int
	// PagesPerRun bounds one run, for each of the two tables. Default 200.
	PagesPerRun int
	// Rest is how long it rests once it has read all orders of erased buyers of a table. Default 1 hour.
	Rest time.Duration
}

// Receivers fills the columns by which Find finds receivers, for orders that older versions of the program stored, and
// empties them where these versions have erased the buyer.
type Receivers struct {
	cfg ReceiversConfig
	db  *sqldb.DB
	now func() time.Time

	// The next run continues after these orders of erased buyers, one for each of the two tables.
	last [2]atomic.Pointer[receiverRow]
	read [2]atomic.Int64 // when the last of them were read, in milliseconds
}

// receiverRow is what SQL has of an order and its receiver.
type receiverRow struct {
	Number order.Number `db:"number"`
	User   string       `db:"user_id"`
	Phone  string       `db:"receiver_phone"`
	Name   string       `db:"receiver_name"`
}

// NewReceivers returns the Receivers of the orders in db.
func NewReceivers(cfg ReceiversConfig, db *sqldb.DB, now func() time.Time) *Receivers {
	cfg.Page, cfg.PagesPerRun = cmp.Or(cfg.Page, 100), cmp.Or(cfg.PagesPerRun, 200)
	cfg.Rest = cmp.Or(cfg.Rest, time.Hour)
	return &Receivers{cfg: cfg, db: db, now: now}
}

// RunOnce fills and empties the columns of orders, and returns of how many. Once no older version runs, it finds none.
// An order that is locked waits for the next run.
func (r *Receivers) RunOnce(ctx context.Context) (changed int, err error) {
	for i, table := range []string{"orders", "orders_archive"} {
		emptied, emptyErr := r.emptyErased(ctx, table, &r.last[i], &r.read[i])
		filled, fillErr := r.fillAll(ctx, table)
		changed += emptied + filled
		if tableErr := errors.Join(emptyErr, fillErr); tableErr != nil {
			err = errors.Join(err, fmt.Errorf("fill the receivers of %s: %w", table, tableErr))
		}
	}
	return changed, err
}

// afterPseudonyms is the first text behind all pseudonyms of erased users: a "." follows a "-".
const afterPseudonyms = "erased."

// emptyErased empties the columns of orders of erased users. It reads all these orders, run by run, since no index has
// only those to change, and then rests: only an older version that runs beside this one adds any.
func (r *Receivers) emptyErased(
	ctx context.Context, table string, last *atomic.Pointer[receiverRow], read *atomic.Int64,
) (emptied int, err error) {
	now := r.now().UnixMilli()
	if since := now - read.Load(); since >= 0 && since < r.cfg.Rest.Milliseconds() {
		return 0, nil
	}
	query := `SELECT number, user_id, receiver_phone, receiver_name FROM ` + table + `
		WHERE user_id >= ? AND user_id < ? AND (user_id > ? OR number > ?) ORDER BY user_id, number LIMIT ?`
	for range r.cfg.PagesPerRun {
		after := cmp.Or(last.Load(), &receiverRow{User: api.Pseudonym})
		var rows []receiverRow
		args := []any{after.User, afterPseudonyms, after.User, after.Number, r.cfg.Page}
		if err := r.db.Write.SelectContext(ctx, &rows, query, args...); err != nil {
			return emptied, err
		}
		last.Store(nil)
		if len(rows) == r.cfg.Page {
			end := rows[len(rows)-1]
			last.Store(&end)
		}
		n, err := r.empty(ctx, table, slices.DeleteFunc(rows, func(row receiverRow) bool {
			return row.Phone == "" && row.Name == ""
		}))
		emptied += n
		if err == nil && last.Load() == nil {
			read.Store(now)
		}
		if err != nil || last.Load() == nil {
			return emptied, err
		}
	}
	return emptied, nil
}

// empty empties the columns of orders, and returns of how many.
func (r *Receivers) empty(ctx context.Context, table string, rows []receiverRow) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	args := make([]any, len(rows))
	for i, row := range rows {
		args[i] = row.Number
	}
	update := `UPDATE ` + table + ` SET receiver_phone = '', receiver_name = ''
		WHERE number IN (` + sqldb.In(len(rows)) + `)`
	return len(rows), r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, update, args...)
		return err
	})
}

// fillAll fills the columns of a table, beginning with the newest orders.
func (r *Receivers) fillAll(ctx context.Context, table string) (filled int, err error) {
	query := `SELECT number, user_id, receiver_phone, receiver_name FROM ` + table + `
		WHERE receiver_phone = ? AND number < ? ORDER BY number DESC LIMIT ?`
	below := order.Number(math.MaxInt64)
	var busy error // of pages with a locked order, which the next run tries again
	for range r.cfg.PagesPerRun {
		var rows []receiverRow
		err := r.db.Write.SelectContext(ctx, &rows, query, receiver.Unknown, below, r.cfg.Page)
		if err != nil || len(rows) == 0 {
			return filled, errors.Join(busy, err)
		}
		below = rows[len(rows)-1].Number
		err = r.fill(ctx, table, rows)
		if err == nil {
			filled += len(rows)
		} else if sqldb.IsLockTimeout(err) && ctx.Err() == nil {
			busy, err = errors.Join(busy, err), nil
		}
		if err != nil || len(rows) < r.cfg.Page {
			return filled, errors.Join(busy, err)
		}
	}
	return filled, busy
}

// fill fills a page. An order that is erased or archived at the same time keeps what that writes.
func (r *Receivers) fill(ctx context.Context, table string, rows []receiverRow) error {
	numbers, addresses := make([]order.Number, len(rows)), map[order.Number]*catalogue.Address{}
	for i, row := range rows {
		numbers[i] = row.Number
	}
	orders, err := order.SelectAll(ctx, r.db.Write, numbers)
	if err != nil && !errors.Is(err, order.ErrBadRecord) { // an order with a bad record has no address
		return err
	}
	for _, o := range orders {
		addresses[o.Number] = o.Address
	}
	// An older version that erases the buyer changes only the user and the record.
	update := `UPDATE ` + table + ` SET receiver_phone = ?, receiver_name = ?
		WHERE number = ? AND receiver_phone = ? AND user_id = ?`
	return r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, row := range rows {
			phone, name := receiver.Of(addresses[row.Number])
			args := []any{phone, name, row.Number, receiver.Unknown, row.User}
			if _, err := tx.ExecContext(ctx, update, args...); err != nil {
				return err
			}
		}
		return nil
	})
}
