package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	_ "github.com/go-sql-driver/mysql"

	"onrush"
)

// ledger is the table ledger in a database of the shop. A line is a change of an order, and amount the money that came
// or, below 0, that goes back, in minor units of currency.
type ledger struct{ insert string }

// openLedger makes the table, unless it is there.
func openLedger(ctx context.Context, dsn, database string) (*ledger, error) {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+database+`.ledger (
		order_number BIGINT NOT NULL, what VARCHAR(32) NOT NULL, refund_number VARCHAR(32) NOT NULL,
		user_id VARCHAR(64) NOT NULL, amount BIGINT NOT NULL, currency CHAR(3) NOT NULL, at_ms BIGINT NOT NULL,
		PRIMARY KEY (order_number, what, refund_number))`)
	if err != nil {
		return nil, fmt.Errorf("make the ledger: %w", err)
	}
	return &ledger{`INSERT INTO ` + database + `.ledger
		(order_number, what, refund_number, user_id, amount, currency, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`}, nil
}

// changed books changes; it is onrush.Config.Changed.
func (l *ledger) changed(ctx context.Context, tx *sql.Tx, changes []onrush.Change) error {
	for _, c := range changes {
		var order struct {
			Total    int64  `json:"total_amount"`
			Currency string `json:"currency"`
		}
		if err := json.Unmarshal(c.Order, &order); err != nil {
			return err
		}
		amount, refundNumber := int64(0), ""
		switch c.Type {
		case onrush.OrderPaid:
			amount = order.Total
		case onrush.OrderRefunded:
			var refund struct {
				Number string `json:"refund_number"`
				Amount int64  `json:"amount"`
			}
			if err := json.Unmarshal(c.Refund, &refund); err != nil {
				return err
			}
			amount, refundNumber = -refund.Amount, refund.Number
		}
		if _, err := tx.ExecContext(ctx, l.insert, c.Number, c.Type, refundNumber, c.User, amount, order.Currency,
			c.AtMS); err != nil {
			return err
		}
	}
	return nil
}
