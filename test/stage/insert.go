package stage

import (
	"cmp"
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Insert inserts an order's row into SQL unchanged, without checks, counts and items. Empty fields that are
// needed to read an order get the values of an unpaid order of virtual goods from a sale, in CNY.
func Insert(ctx context.Context, db *sqldb.DB, o order.Order) error {
	o.Type, o.Kind = cmp.Or(o.Type, order.Seckill), cmp.Or(o.Kind, catalogue.Virtual)
	o.Status, o.Delivery = cmp.Or(o.Status, order.Unpaid), cmp.Or(o.Delivery, catalogue.None)
	o.Point, o.Currency = cmp.Or(o.Point, catalogue.DefaultPoint), cmp.Or(o.Currency, "CNY")
	return db.InTx(ctx, func(tx *sqlx.Tx) error { return order.InsertRows(ctx, tx, []*order.Order{&o}) })
}

// Archive moves the orders that meet a condition into the archive, whatever is pending for them. There must be some.
func Archive(ctx context.Context, db *sqldb.DB, where string) error {
	return db.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, statement := range []string{
			`INSERT INTO orders_archive SELECT * FROM orders WHERE `, `DELETE FROM orders WHERE `,
		} {
			res, err := tx.ExecContext(ctx, statement+where)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, errors.New("no order was archived"))
			}
		}
		return nil
	})
}
