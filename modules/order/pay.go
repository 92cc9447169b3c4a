package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/journal"
	"onrush/modules/order/sources"
	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Payer pays and refunds orders inside the caller's transaction, which also records the money.
type Payer struct {
	// code returns an unguessable voucher code.
	code    func() string
	tracer  *tracing.Tracer
	changed Changed
}

// NewPayer returns a Payer; code returns unguessable voucher codes of at most 64 characters. tracer, which may be nil,
// shows a payment in the trace of its order. changed is called with the orders that are paid and refunded.
func NewPayer(code func() string, tracer *tracing.Tracer, changed Changed) *Payer {
	return &Payer{code: code, tracer: tracer, changed: changed}
}

// Pay moves an order from unpaid to paid by compare-and-set and reports whether this call did. The
// hold of a seckill order is confirmed through the outbox; each unit of a voucher gets a code, or waits for one.
func (p *Payer) Pay(ctx context.Context, tx *sqlx.Tx, n Number, atMS int64, e LogLine) (won bool, err error) {
	won, err = setStatus(ctx, tx, n, Unpaid, Paid, atMS, "")
	if err != nil || !won {
		return false, err
	}
	o, err := Select(ctx, tx, n)
	if err != nil {
		return false, err
	}
	ctx, span := p.tracer.Follow(ctx, o.Trace, "pay order", trace.SpanKindInternal)
	defer func() { tracing.End(span, err) }()
	e.Order, e.AtMS, e.Action = n, atMS, "paid"
	if err := AddLogLine(ctx, tx, e); err != nil {
		return false, err
	}
	if err := p.changed.writeStatuses(ctx, tx, journal.OrderPaid, atMS, o); err != nil {
		return false, err
	}
	if err := p.issueVouchers(ctx, tx, o, atMS); err != nil {
		return false, err
	}
	if err := sources.Update(ctx, tx, o.Source()); err != nil {
		return false, err
	}
	if err := countChange(ctx, tx, []*Order{o}, Unpaid, Paid); err != nil {
		return false, err
	}
	if o.Type == Seckill {
		if err := enqueueStock(ctx, tx, OutboxConfirm, o, atMS); err != nil {
			return false, err
		}
	}
	return true, versions.Raise(ctx, tx, o.User)
}

// CountUnpaid returns how many of the orders are unpaid in SQL.
func CountUnpaid(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (unpaid int, err error) {
	query := `SELECT COUNT(*) FROM orders WHERE status = 'unpaid' AND number IN (` + sqldb.In(len(numbers)) + `)`
	if err := sqlx.GetContext(ctx, q, &unpaid, query, sqldb.Args(numbers)...); err != nil {
		return 0, fmt.Errorf("count unpaid of %d orders: %w", len(numbers), err)
	}
	return unpaid, nil
}
