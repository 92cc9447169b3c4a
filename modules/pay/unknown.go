package pay

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// processUnknown processes money for an unknown payment. The database may be about to be restored, so the
// first few deliveries are not acknowledged. Then the money is stored as a flagged payment without orders.
// It is not refunded automatically, since it may belong to another program with the same merchant account.
// free says that no payment has its number.
func (pr *Processor) processUnknown(ctx context.Context, channel string, n Notification, free bool) error {
	pr.log.WarnContext(ctx, "money came for an unknown payment", "channel", channel, "pay_number", n.PayNumber,
		"transaction_id", n.TransactionID)
	var known int
	const query = `SELECT COUNT(*) FROM payment_transactions WHERE channel = ? AND transaction_id = ?`
	if err := pr.db.Write.GetContext(ctx, &known, query, channel, n.TransactionID); err != nil {
		return problem.Unavailable(err, "The payment can't be read right now.")
	}
	if known > 0 {
		return nil
	}
	enough, err := pr.countUnknown(ctx, channel, n.TransactionID)
	if err != nil {
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	if !enough {
		return problem.Unavailable(nil, "The payment is not known.")
	}
	at := pr.now().UnixMilli()
	p := &Payment{
		Number: n.PayNumber, Task: "unknown." + sign.Digest(16, channel, n.TransactionID), Channel: channel,
		Status: Paid, Amount: n.Amount, Currency: n.Currency, Transaction: n.TransactionID, Flag: ReasonUnknown,
		CreatedMS: at, AskMS: never, PaidMS: at,
	}
	if !free {
		p.Number = pr.number()
	}
	err = pr.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := insertTransaction(ctx, tx, channel, n, at); err != nil {
			return err
		}
		if err := insertPayment(ctx, tx, p); err != nil {
			return err
		}
		if err := insertEvent(ctx, tx, channel, n, outcomeUnknown, at); err != nil {
			return err
		}
		if err := writeFlagged(ctx, tx, p.Number, at); err != nil {
			return err
		}
		return pr.faults.After("unknown_before_commit")
	})
	switch {
	case sqldb.IsDuplicate(err):
		return pr.known(ctx, channel, n)
	case err != nil:
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	return nil
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
