package pay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/versions"
)

// Dispute is a dispute of a payment, as its gateway last reported it.
type Dispute struct {
	Channel     string       `db:"channel"`
	ID          string       `db:"dispute_id"`
	Payment     order.Number `db:"pay_number"`
	Transaction string       `db:"transaction_id"`
	Amount      int64        `db:"amount"`
	Currency    string       `db:"currency"`
	Reason      string       `db:"reason"`
	State       DisputeState `db:"state"`
	Status      string       `db:"status"`
	Refundable  bool         `db:"refundable"`
	DueMS       int64        `db:"due_ms"`
	EventMS     int64        `db:"event_ms"`
	OpenedMS    int64        `db:"opened_ms"`
	ClosedMS    int64        `db:"closed_ms"`
}

// disputeColumns are the columns of a Dispute.
const disputeColumns = `channel, dispute_id, pay_number, transaction_id, amount, currency, reason, state, status,
	refundable, due_ms, event_ms, opened_ms, closed_ms`

// DisputeView is a dispute in the operators' API.
type DisputeView struct {
	ID          string       `json:"dispute_id"`
	Payment     order.Number `json:"pay_number"`
	Channel     string       `json:"channel"`
	Transaction string       `json:"transaction_id"`
	Amount      int64        `json:"amount"`
	Currency    string       `json:"currency"`
	Reason      string       `json:"reason"`
	State       DisputeState `json:"state"`
	Status      string       `json:"status"` // the gateway's own word
	Refundable  bool         `json:"refundable"`
	Due         api.Millis   `json:"due_at,omitzero"`
	Opened      api.Millis   `json:"opened_at"`
	Closed      api.Millis   `json:"closed_at,omitzero"`
}

// ShowDispute returns the view of a dispute.
func ShowDispute(d *Dispute) *DisputeView {
	return &DisputeView{
		ID: d.ID, Payment: d.Payment, Channel: d.Channel, Transaction: d.Transaction, Amount: d.Amount,
		Currency: d.Currency, Reason: d.Reason, State: d.State, Status: d.Status, Refundable: d.Refundable,
		Due: api.Millis(d.DueMS), Opened: api.Millis(d.OpenedMS), Closed: api.Millis(d.ClosedMS),
	}
}

// SelectDisputes reads the disputes of a payment, the newest first.
func SelectDisputes(ctx context.Context, q sqlx.QueryerContext, n order.Number) ([]Dispute, error) {
	var found []Dispute
	const query = `SELECT ` + disputeColumns + ` FROM disputes WHERE pay_number = ? ORDER BY opened_ms DESC, dispute_id`
	if err := sqlx.SelectContext(ctx, q, &found, query, n); err != nil {
		return nil, fmt.Errorf("select disputes of payment %s: %w", n, err)
	}
	return found, nil
}

// dispute stores a step of a dispute, writes its event, and holds, voids or releases the vouchers that the disputed
// money paid. A report that changes nothing, or that is older than the last one, does nothing. The caller holds the
// lock of the payment.
func (pr *Processor) dispute(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, at time.Time) error {
	step := n.Dispute
	if step.ID == "" || step.State == "" {
		return errors.New("a report of a dispute lacks its id or state")
	}
	had, err := SelectDisputes(ctx, tx, p.Number)
	if err != nil {
		return err
	}
	now := Dispute{
		Channel: p.Channel, ID: step.ID, Payment: p.Number, Transaction: n.TransactionID, Amount: n.Amount,
		Currency: n.Currency, Reason: n.Reason, State: step.State, Status: step.Status, Refundable: step.Refundable,
		DueMS: step.DueMS, EventMS: step.AtMS, OpenedMS: at.UnixMilli(),
	}
	kind := journal.DisputeOpened
	all := []Dispute{now}
	for _, d := range had {
		if d.ID != step.ID {
			all = append(all, d)
			continue
		}
		if !now.follows(d) {
			return nil
		}
		kind, now.OpenedMS, now.ClosedMS = journal.DisputeUpdated, d.OpenedMS, d.ClosedMS
	}
	if now.State == DisputeOpen {
		now.ClosedMS = 0
	} else if now.ClosedMS == 0 {
		kind, now.ClosedMS = journal.DisputeClosed, at.UnixMilli()
	}
	if err := storeDispute(ctx, tx, &now, len(all) <= len(had)); err != nil {
		return err
	}
	if n.TransactionID == p.Transaction { // otherwise the money paid no order
		paid, err := paidOrders(ctx, tx, p)
		if err != nil {
			return err
		}
		if err := pr.payer.HoldVouchers(ctx, tx, paid, heldBy(all, p.Transaction), at.UnixMilli(),
			order.LogLine{Actor: "gateway:" + p.Channel}); err != nil {
			return err
		}
	}
	if now.State != DisputeOpen {
		const retry = `UPDATE refunds SET next_try_ms = ? WHERE pay_number = ? AND status = 'pending' AND waits_for = ?`
		if _, err := tx.ExecContext(ctx, retry, at.UnixMilli(), p.Number, WaitsForDispute); err != nil {
			return fmt.Errorf("resume refunds that wait for a dispute: %w", err)
		}
	}
	if now.State != DisputeWon {
		if err := FlagPayment(ctx, tx, p.Number, ReasonDisputed, at.UnixMilli()); err != nil {
			return err
		}
	}
	e := journal.Event{Type: kind, Subject: p.Number.String(), User: p.User, AtMS: at.UnixMilli()}
	if err := writeEvent(ctx, tx, e, map[string]any{"dispute": ShowDispute(&now)}); err != nil {
		return err
	}
	return versions.Raise(ctx, tx, p.User) // their vouchers
}

// follows reports whether d, a new report, changes the known dispute. Reports of the same second have no order: a
// report that closes the dispute counts as the later one.
func (d *Dispute) follows(known Dispute) bool {
	switch {
	case d.EventMS < known.EventMS:
		return false
	case d.EventMS == known.EventMS && d.State == DisputeOpen && known.State != DisputeOpen:
		return false
	}
	return d.Amount != known.Amount || d.Reason != known.Reason || d.State != known.State || d.Status != known.Status ||
		d.Refundable != known.Refundable || d.DueMS != known.DueMS
}

// heldBy returns the effect of a transaction's disputes on the vouchers that it paid: the worst of them counts.
func heldBy(all []Dispute, transaction string) order.Hold {
	hold := order.Released
	for _, d := range all {
		switch {
		case d.Transaction != transaction:
		case d.State == DisputeLost:
			return order.Lost
		case d.State == DisputeOpen:
			hold = order.Held
		}
	}
	return hold
}

// storeDispute inserts a dispute, or updates its row.
func storeDispute(ctx context.Context, tx *sqlx.Tx, d *Dispute, known bool) error {
	query := `INSERT INTO disputes (pay_number, transaction_id, amount, currency, reason, state, status, refundable,
		due_ms, event_ms, opened_ms, closed_ms, channel, dispute_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	if known {
		query = `UPDATE disputes SET pay_number = ?, transaction_id = ?, amount = ?, currency = ?, reason = ?,
			state = ?, status = ?, refundable = ?, due_ms = ?, event_ms = ?, opened_ms = ?, closed_ms = ?
			WHERE channel = ? AND dispute_id = ?`
	}
	if _, err := tx.ExecContext(ctx, query, d.Payment, d.Transaction, d.Amount, d.Currency, d.Reason, d.State, d.Status,
		d.Refundable, d.DueMS, d.EventMS, d.OpenedMS, d.ClosedMS, d.Channel, d.ID); err != nil {
		return fmt.Errorf("store a dispute of payment %s: %w", d.Payment, err)
	}
	return nil
}

// disputedAmount returns how much of a payment's money a bank has taken back or will not let the merchant refund.
func disputedAmount(ctx context.Context, tx *sqlx.Tx, p *Payment) (amount int64, err error) {
	const query = `SELECT COALESCE(SUM(amount), 0) FROM disputes WHERE pay_number = ? AND transaction_id = ?
		AND (state = 'lost' OR (state = 'open' AND refundable = 0))`
	if err := tx.GetContext(ctx, &amount, query, p.Number, p.Transaction); err != nil {
		return 0, fmt.Errorf("add up disputes of payment %s: %w", p.Number, err)
	}
	return amount, nil
}
