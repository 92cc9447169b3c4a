// Package grace extends the deadline of an order once, by its sale's pay_grace_s, if a payment of it is under way then.
//
// A payment is under way at a deadline if it was made before, its gateway has begun it, it is pending, and its own time
// ends later. Such a payment keeps its order from being cancelled (pay.Awaited), so no transaction can cancel an order
// that another one may extend. Payments of an order that was not extended yet expire with the grace (Earlier),
// later ones with the new deadline. A buyer who begins payments over and over gains no more than one grace.
//
// Only SQL has the new deadline: a payment begins after its order was stored. The hold in Redis lasts until the order
// is paid or cancelled.
package grace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
)

// Logged is the action in the log of an order that was extended.
const Logged = "pay_extended"

// notExtended is the condition that an order, whose number and Logged are the arguments, was not extended. An older
// version that rewrites an order's record keeps its log.
const notExtended = `NOT EXISTS (SELECT 1 FROM order_log l WHERE l.order_number = %s AND l.what = ?)`

// Earlier returns when the gateway of a payment that begins now must stop taking money for an order, if that is before
// end, and otherwise end: at the order's deadline, or, if the order may still be extended, at the end of the grace.
func Earlier(ctx context.Context, q sqlx.QueryerContext, end time.Time, o *order.Order) (time.Time, error) {
	deadline := o.PayBefore.Time()
	if !deadline.Before(end) { // a grace makes it no earlier
		return end, nil
	}
	if o.Type != order.Seckill {
		return deadline, nil
	}
	var seconds int64
	query := `SELECT pay_grace_s FROM activities WHERE activity_id = ? AND ` + fmt.Sprintf(notExtended, "?")
	err := sqlx.GetContext(ctx, q, &seconds, query, o.Activity, o.Number, Logged)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return end, fmt.Errorf("select the grace of order %s: %w", o.Number, err)
	}
	if deadline = deadline.Add(time.Duration(seconds) * time.Second); deadline.Before(end) {
		return deadline, nil
	}
	return end, nil
}

// Extender extends orders.
type Extender struct {
	db    *sqldb.DB
	clock *clock.Clock
	// faults injects crashes in tests; nil otherwise.
	faults order.Faults
}

// NewExtender returns an Extender.
func NewExtender(db *sqldb.DB, clock *clock.Clock, faults order.Faults) *Extender {
	return &Extender{db, clock, faults}
}

const (
	// page is how many orders one transaction extends.
	page = 50
	// maxFailed is how many orders may fail before a call ends: each may cost a wait for a lock.
	maxFailed = 5
)

// extension is the new deadline of an order.
type extension struct {
	Number order.Number `db:"number"`
	Until  api.Millis   `db:"until_ms"`
}

// Extend extends the orders of due that have a payment under way. An order that can't be extended keeps its deadline,
// and doesn't delay the others.
func (e *Extender) Extend(ctx context.Context, due []order.Number) error {
	found, err := e.extensions(ctx, e.db.Write, due)
	failed := []error{err}
	for chunk := range slices.Chunk(found, page) {
		chunk = slices.DeleteFunc(chunk, func(x extension) bool { return e.db.Busy.Skips(rowOf(x)) })
		if err := e.extend(ctx, chunk...); err == nil {
			continue
		}
		for _, x := range chunk {
			if ctx.Err() != nil || len(failed) > maxFailed {
				return errors.Join(failed...)
			}
			if err := e.extend(ctx, x); err != nil {
				e.db.Busy.Note(rowOf(x), err)
				failed = append(failed, fmt.Errorf("extend order %s: %w", x.Number, err))
			}
		}
	}
	return errors.Join(failed...)
}

func rowOf(x extension) sqldb.Owner { return sqldb.Owner{Kind: sqldb.OrderRow, ID: x.Number.String()} }

// extensions returns which of the orders must be extended now, ascending.
func (e *Extender) extensions(ctx context.Context, q sqlx.QueryerContext, due []order.Number) ([]extension, error) {
	if len(due) == 0 {
		return nil, nil
	}
	query := `SELECT o.number, o.pay_before_ms + a.pay_grace_s * 1000 AS until_ms
		FROM orders o JOIN activities a ON a.activity_id = o.activity_id
		WHERE o.number IN (` + sqldb.In(len(due)) + `) AND o.status = 'unpaid' AND a.pay_grace_s > 0
		AND o.pay_before_ms <= ? AND o.pay_before_ms + a.pay_grace_s * 1000 > ?
		AND ` + fmt.Sprintf(notExtended, "o.number") + ` AND EXISTS (SELECT 1 FROM payment_orders m
			JOIN payments p ON p.pay_number = m.pay_number WHERE m.order_number = o.number AND p.status = 'pending'
			AND p.next_step <> '' AND p.created_ms < o.pay_before_ms AND p.expires_ms > o.pay_before_ms)
		ORDER BY o.number`
	at := e.clock.NowMS()
	var found []extension
	if err := sqlx.SelectContext(ctx, q, &found, query, append(sqldb.Args(due), at, at, Logged)...); err != nil {
		return nil, fmt.Errorf("select which of %d orders are extended: %w", len(due), err)
	}
	return found, nil
}

// extend extends orders in one transaction, if they still must be when their rows are locked.
func (e *Extender) extend(ctx context.Context, found ...extension) error {
	numbers := make([]order.Number, len(found))
	for i, x := range found {
		numbers[i] = x.Number
	}
	if len(found) == 0 {
		return nil
	}
	err := e.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := order.LockLive(ctx, tx, numbers); err != nil {
			return err
		}
		still, err := e.extensions(ctx, tx, numbers)
		if err != nil {
			return err
		}
		return e.write(ctx, tx, still)
	})
	if err != nil {
		return err
	}
	return e.faults.After("extend_commit")
}

// write gives orders, whose rows are locked, their new deadlines.
func (e *Extender) write(ctx context.Context, tx *sqlx.Tx, extensions []extension) error {
	events := make([]journal.Event, 0, len(extensions))
	users := make([]string, 0, len(extensions))
	at := e.clock.NowMS()
	for _, x := range extensions {
		o, err := order.Select(ctx, tx, x.Number)
		if err != nil {
			return err
		}
		o.PayBefore = x.Until
		const update = `UPDATE orders SET pay_before_ms = ? WHERE number = ?`
		if _, err := tx.ExecContext(ctx, update, x.Until, x.Number); err != nil {
			return fmt.Errorf("extend order %s: %w", x.Number, err)
		}
		if err := order.Rewrite(ctx, tx, o); err != nil { // lists copy the deadline from the record
			return err
		}
		line := order.LogLine{Order: x.Number, AtMS: at, Actor: "job:cancel_unpaid", Action: Logged}
		if err := order.AddLogLine(ctx, tx, line); err != nil {
			return err
		}
		events = append(events, journal.Event{
			Type: journal.OrderPayExtended, Subject: x.Number.String(), User: o.User, AtMS: at,
		})
		users = append(users, o.User)
	}
	if len(events) == 0 {
		return nil
	}
	if err := journal.Write(ctx, tx, events...); err != nil {
		return err
	}
	return versions.Raise(ctx, tx, users...)
}
