package own

import (
	"context"
	"errors"
	"fmt"

	"onrush/modules/sqldb"
)

// Sabotages are what a drill can do behind the back of its own program, to show that it sees it.
var Sabotages = []string{"unit", "event", "pay"}

// Sabotage takes a unit of a sale, drops an event, or lets money come twice, in SQL of the own program.
func (o *Program) Sabotage(ctx context.Context, what, sale string) (err error) {
	db, err := o.openSQL(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var n int64
	switch what {
	case "unit":
		const take = `UPDATE activity_stock SET sold = sold + 1 WHERE activity_id = ?`
		n, err = changed(db.Write.ExecContext(ctx, take, sale))
	case "event":
		var position int64
		const last = `SELECT position FROM events WHERE type = 'order.paid' AND position > 0
			ORDER BY position DESC LIMIT 1`
		if err := db.Write.GetContext(ctx, &position, last); err != nil {
			return fmt.Errorf("sabotage: %w", err)
		}
		n, err = changed(db.Write.ExecContext(ctx, `DELETE FROM events WHERE position = ?`, position))
	case "pay":
		n, err = payAgain(ctx, db)
	default:
		return fmt.Errorf("%q is none of %v", what, Sabotages)
	}
	if err == nil && n == 0 {
		err = errors.New("there is nothing to change")
	}
	if err != nil {
		return fmt.Errorf("sabotage: %w", err)
	}
	return nil
}

// payAgain lets the money of each paid payment come once more, unheard. The drill sees only payments that its
// own visitors have heard of.
func payAgain(ctx context.Context, db *sqldb.DB) (n int64, err error) {
	const again = `INSERT INTO sandbox_notices (event_id, pay_number, type, transaction_id, amount, currency,
		made_ms, due_ms, state, attempts, answer)
		SELECT ?, pay_number, 'payment.succeeded', ?, amount, currency, 1, 1, 'unheard', 0, 0
		FROM payments WHERE pay_number = ?`
	var paid []int64
	if err := db.Write.SelectContext(ctx, &paid, `SELECT pay_number FROM payments WHERE status = 'paid'`); err != nil {
		return 0, err
	}
	for _, number := range paid {
		event, transaction := fmt.Sprint("evt_sabotage_", number), fmt.Sprint("txn_sabotage_", number)
		more, err := changed(db.Write.ExecContext(ctx, again, event, transaction, number))
		if err != nil {
			return n, err
		}
		n += more
	}
	return n, nil
}

func (o *Program) openSQL(ctx context.Context) (*sqldb.DB, error) {
	if o.DSN == "" {
		return sqldb.OpenSQLite(ctx, o.SQLite)
	}
	return sqldb.OpenMySQL(ctx, o.DSN, 1)
}

func changed(result interface{ RowsAffected() (int64, error) }, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
