package order

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// Forget erases a buyer from stored orders, in the transaction of the caller: the pseudonym replaces the user id, also
// where it names an inviter, and what the buyer told the shop goes. What the accounts need stays: goods, amounts,
// times, states and the platform's own references. The orders are not unpaid, and their sales are retired.
func Forget(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, numbers []Number) error {
	if len(numbers) == 0 {
		return nil
	}
	in, args := ` IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)
	// The lock keeps the erasure of another buyer, who is the inviter, from writing the same record.
	if err := LockRows(ctx, tx, numbers); err != nil {
		return err
	}
	var rows []struct {
		Number Number `db:"number"`
		Record []byte `db:"record"`
	}
	query := `SELECT number, record FROM orders WHERE number` + in + ` ORDER BY number`
	if err := tx.SelectContext(ctx, &rows, query, args...); err != nil {
		return fmt.Errorf("select %d records: %w", len(numbers), err)
	}
	var own []*Order
	for _, r := range rows {
		o, err := decodeRecord(r.Record)
		switch {
		case err != nil:
			return fmt.Errorf("read order %s: %w", r.Number, err)
		case o.Version > recordVersion:
			return fmt.Errorf("read order %s: %w", r.Number, ErrNewerRecord)
		}
		if o.User == user {
			own = append(own, o)
		}
		if err := forgetIn(ctx, tx, o, user, pseudonym); err != nil {
			return err
		}
	}
	const relabel = `UPDATE order_labels SET value = ? WHERE name = 'inviter_id' AND value = ? AND number`
	if _, err := tx.ExecContext(ctx, relabel+in, append([]any{pseudonym, user}, args...)...); err != nil {
		return fmt.Errorf("forget an inviter: %w", err)
	}
	if err := forgetAround(ctx, tx, user, pseudonym, own); err != nil {
		return err
	}
	return RaiseVersions(ctx, tx, user)
}

// forgetIn rewrites the record of an order.
func forgetIn(ctx context.Context, tx *sqlx.Tx, o *Order, user, pseudonym string) error {
	o.forget(user, pseudonym)
	record, err := encodeRecord(o)
	if err != nil {
		return err
	}
	const update = `UPDATE orders SET user_id = ?, record = ? WHERE number = ?`
	if _, err := tx.ExecContext(ctx, update, o.User, string(record), o.Number); err != nil {
		return fmt.Errorf("forget the buyer of order %s: %w", o.Number, err)
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
// and the counts under purchase limits.
func forgetAround(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, own []*Order) error {
	if len(own) == 0 {
		return nil
	}
	numbers := make([]Number, len(own))
	counts := map[countKey]bool{}
	for i, o := range own {
		numbers[i] = o.Number
		if o.Type == Seckill {
			counts[countKey{activity: o.Activity, counted: lua.CountedAll}] = true
			counts[countKey{activity: o.Activity, counted: lua.CountedSKU(o.Items[0].SKU)}] = true
		}
	}
	in, args := ` IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)
	for _, statement := range []string{
		`UPDATE order_log SET from_address = '' WHERE order_number` + in,
		`DELETE FROM order_notes WHERE order_number` + in,
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
