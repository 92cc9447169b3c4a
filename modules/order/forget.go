package order

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order/receiver"
	"onrush/modules/order/sources"
	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
)

// Forget erases a buyer from stored orders of the buyer, in the transaction of the caller: the pseudonym replaces the
// user id, also where it names an inviter, and what the buyer told the shop goes. What the accounts need stays: goods,
// amounts, times, states and the platform's own references. The orders are not unpaid, and their sales are retired.
func Forget(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, numbers []Number) error {
	// The locks keep the erasure of another buyer, who is the inviter, from writing the same record.
	orders, err := lockRecords(ctx, tx, numbers)
	if err != nil || len(orders) == 0 {
		return err
	}
	for _, o := range orders {
		if o.User != user {
			return fmt.Errorf("forget the buyer of order %s: it is another's", o.Number)
		}
		o.forget(user, pseudonym)
		if err := Rewrite(ctx, tx, o); err != nil {
			return err
		}
	}
	if err := sources.ForgetInviter(ctx, tx, user, pseudonym, sqldb.Args(numbers)); err != nil {
		return err
	}
	if err := forgetAround(ctx, tx, user, pseudonym, orders); err != nil {
		return err
	}
	return versions.Raise(ctx, tx, user)
}

// lockRecords locks orders, and reads their records.
func lockRecords(ctx context.Context, tx *sqlx.Tx, numbers []Number) ([]*Order, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	if err := LockRows(ctx, tx, numbers); err != nil {
		return nil, err
	}
	var rows []struct {
		Number Number `db:"number"`
		Record []byte `db:"record"`
	}
	query := `SELECT number, record FROM orders WHERE number IN (` + sqldb.In(len(numbers)) + `) ORDER BY number`
	if err := tx.SelectContext(ctx, &rows, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select %d records: %w", len(numbers), err)
	}
	orders := make([]*Order, len(rows))
	for i, r := range rows {
		o, err := decodeRecord(r.Record)
		if err != nil {
			return nil, fmt.Errorf("read order %s: %w", r.Number, err)
		}
		orders[i] = o
	}
	return orders, nil
}

// Rewrite writes the record of a stored order again, its user and its receiver. The caller must hold a lock on the
// order's row, and have read the order from it. The error is ErrNewerRecord if fields would be lost.
func Rewrite(ctx context.Context, tx *sqlx.Tx, o *Order) error {
	if o.Version > recordVersion {
		return fmt.Errorf("rewrite order %s: %w", o.Number, ErrNewerRecord)
	}
	record, err := encodeRecord(o)
	if err != nil {
		return err
	}
	phone, name := receiver.Of(o.Address)
	const update = `UPDATE orders SET user_id = ?, record = ?, receiver_phone = ?, receiver_name = ? WHERE number = ?`
	if _, err := tx.ExecContext(ctx, update, o.User, string(record), phone, name, o.Number); err != nil {
		return fmt.Errorf("rewrite order %s: %w", o.Number, err)
	}
	return nil
}

// forget replaces a user id in an order, and removes from the user's own order what the buyer told the shop.
func (o *Order) forget(user, pseudonym string) {
	if o.Inviter == user {
		o.Inviter = pseudonym
	}
	if o.User == user {
		o.User, o.PlacedFrom, o.Address, o.Remark, o.Fields, o.NotifyToken = pseudonym, "", nil, "", nil, ""
	}
}

// forgetAround erases the buyer of orders from the rows beside them: client addresses in their logs, operators' notes,
// former addresses, the numbers of parcels, and the counts under purchase limits.
func forgetAround(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, own []*Order) error {
	numbers := make([]Number, len(own))
	counts := map[countKey]bool{}
	for i, o := range own {
		numbers[i] = o.Number
		if o.Type == Seckill {
			for counted := range lua.Counts(o.Takes()) {
				counts[countKey{activity: o.Activity, counted: counted}] = true
			}
		}
	}
	in, args := ` IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)
	for _, statement := range []string{
		`UPDATE order_log SET from_address = '' WHERE order_number` + in,
		`DELETE FROM order_notes WHERE order_number` + in,
		`DELETE FROM order_addresses WHERE order_number` + in,
		`UPDATE fulfilments SET tracking_number = '' WHERE order_number` + in,
	} {
		if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
			return fmt.Errorf("forget beside %d orders: %w", len(own), err)
		}
	}
	const rename = `UPDATE activity_counts SET name = ? WHERE activity_id = ? AND counted = ? AND name = ?`
	for _, k := range slices.SortedFunc(maps.Keys(counts), compareCounts) {
		if _, err := tx.ExecContext(ctx, rename, pseudonym, k.activity, k.counted, user); err != nil {
			return fmt.Errorf("rename the count of a buyer: %w", err)
		}
	}
	return nil
}
