package pay

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// processUnknown processes money for an unknown payment. The database may be about to be restored, so the
// first few deliveries are not acknowledged. Then the money is stored as a flagged payment without orders.
// It is not refunded automatically, since it may belong to another program with the same merchant account.
// free says that no payment has its number.
func (pr *Processor) processUnknown(ctx context.Context, m money, free bool) error {
	pr.log.WarnContext(ctx, "money came for an unknown payment", "channel", m.channel, "pay_number", m.PayNumber,
		"transaction_id", m.TransactionID)
	before, err := selectProcessed(ctx, pr.db.Write, m)
	switch {
	case err != nil:
		return err
	case before.Transaction:
		return nil
	}
	enough, err := pr.countUnknown(ctx, m.channel, m.TransactionID)
	if err != nil {
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	if !enough {
		return problem.Unavailable(nil, "The payment is not known.")
	}
	number := m.PayNumber
	if !free {
		number = pr.number()
	}
	return pr.commit(ctx, m, func(tx *sqlx.Tx) (outcome, error) { return pr.storeUnknown(ctx, tx, m, number) })
}

// storeUnknown stores money for an unknown payment as the payment with a number.
func (pr *Processor) storeUnknown(ctx context.Context, tx *sqlx.Tx, m money, number order.Number) (outcome, error) {
	at := pr.now().UnixMilli()
	before, err := selectProcessed(ctx, tx, m)
	switch {
	case err != nil:
		return "", err
	case before.Transaction:
		return outcomeKnown, nil
	}
	if err := insertTransaction(ctx, tx, m, at); err != nil {
		return "", err
	}
	p := &Payment{
		Number: number, Task: "unknown." + sign.Digest(16, m.channel, m.TransactionID), Channel: m.channel,
		Status: Paid, Amount: m.Amount, Currency: m.Currency, Transaction: m.TransactionID, Flag: ReasonUnknown,
		CreatedMS: at, AskMS: Never, PaidMS: at,
	}
	if err := InsertPayment(ctx, tx, p); err != nil {
		return "", err
	}
	if err := insertNotification(ctx, tx, m.channel, m.Notification, outcomeUnknown, at); err != nil {
		return "", err
	}
	e := journal.Event{Type: journal.PaymentFlagged, Subject: number.String(), AtMS: at}
	if err := writeEvent(ctx, tx, e, map[string]any{"payment": ShowForOperators(p)}); err != nil {
		return "", err
	}
	return outcomeUnknown, pr.faults.After("unknown_before_commit")
}

// countUnknown counts a delivery for an unknown payment, under a name that is unique in its channel, and
// reports whether Deliveries is reached. Counts are never deleted, since an insert that meets a row being
// deleted may deadlock.
func (pr *Processor) countUnknown(ctx context.Context, channel, event string) (enough bool, err error) {
	for range 2 { // if a concurrent call inserts the row first, the second try finds it
		enough, err = pr.countDeliveryOf(ctx, channel, event)
		if !sqldb.IsDuplicate(err) {
			break
		}
	}
	return enough, err
}

func (pr *Processor) countDeliveryOf(ctx context.Context, channel, event string) (enough bool, err error) {
	err = pr.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const update = `UPDATE unknown_notifications SET deliveries = deliveries + 1 WHERE channel = ? AND event = ?`
		res, err := tx.ExecContext(ctx, update, channel, event)
		if err != nil {
			return fmt.Errorf("count delivery: %w", err)
		}
		deliveries := 1
		switch known, err := res.RowsAffected(); {
		case err != nil:
			return fmt.Errorf("count delivery: %w", err)
		case known == 0:
			const insert = `INSERT INTO unknown_notifications (channel, event, deliveries, first_ms)
				VALUES (?, ?, 1, ?)`
			if _, err := tx.ExecContext(ctx, insert, channel, event, pr.now().UnixMilli()); err != nil {
				return fmt.Errorf("insert delivery: %w", err)
			}
		default:
			const query = `SELECT deliveries FROM unknown_notifications WHERE channel = ? AND event = ?`
			if err := tx.GetContext(ctx, &deliveries, query, channel, event); err != nil {
				return fmt.Errorf("select deliveries: %w", err)
			}
		}
		enough = deliveries >= pr.cfg.Deliveries
		return nil
	})
	return enough, err
}
