package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/receiver"
	"onrush/modules/sqldb"
)

// ReceiversConfig bounds the work of Receivers.
type ReceiversConfig struct {
	// Page is how many orders one transaction changes, 1 to 1000. Default 100: their buyers wait for it.
	Page int
	// PagesPerRun bounds one run, for each of the two tables. Default 200.
	PagesPerRun int
}

// Receivers fills the columns by which Find finds receivers, for orders that older versions of the program stored.
type Receivers struct {
	cfg ReceiversConfig
	db  *sqldb.DB
}

// NewReceivers returns the Receivers of the orders in db.
func NewReceivers(cfg ReceiversConfig, db *sqldb.DB) *Receivers {
	cfg.Page, cfg.PagesPerRun = cmp.Or(cfg.Page, 100), cmp.Or(cfg.PagesPerRun, 200)
	return &Receivers{cfg, db}
}

// RunOnce fills the columns of orders, and returns of how many. Once no older version runs, it finds none.
func (r *Receivers) RunOnce(ctx context.Context) (filled int, err error) {
	for _, table := range []string{"orders", "orders_archive"} {
		for range r.cfg.PagesPerRun {
			n, err := r.fill(ctx, table)
			filled += n
			if err != nil {
				return filled, fmt.Errorf("fill the receivers of %s: %w", table, err)
			}
			if n < r.cfg.Page {
				break
			}
		}
	}
	return filled, nil
}

// fill fills a page, and returns how many orders it has. An order that is erased or archived at the same time keeps
// what that writes.
func (r *Receivers) fill(ctx context.Context, table string) (page int, err error) {
	var rows []struct {
		Number order.Number `db:"number"`
		User   string       `db:"user_id"`
	}
	query := `SELECT number, user_id FROM ` + table + ` WHERE receiver_phone = ? ORDER BY number LIMIT ?`
	if err := r.db.Write.SelectContext(ctx, &rows, query, receiver.Unknown, r.cfg.Page); err != nil {
		return 0, err
	}
	numbers, addresses := make([]order.Number, len(rows)), map[order.Number]*catalogue.Address{}
	for i, row := range rows {
		numbers[i] = row.Number
	}
	orders, err := order.SelectAll(ctx, r.db.Write, numbers)
	if err != nil && !errors.Is(err, order.ErrBadRecord) { // an order with a bad record has no address
		return 0, err
	}
	for _, o := range orders {
		addresses[o.Number] = o.Address
	}
	// An older version that erases the buyer changes only the user and the record.
	update := `UPDATE ` + table + ` SET receiver_phone = ?, receiver_name = ?
		WHERE number = ? AND receiver_phone = ? AND user_id = ?`
	err = r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, row := range rows {
			phone, name := receiver.Of(addresses[row.Number])
			args := []any{phone, name, row.Number, receiver.Unknown, row.User}
			if _, err := tx.ExecContext(ctx, update, args...); err != nil {
				return err
			}
		}
		return nil
	})
	return len(rows), err
}
