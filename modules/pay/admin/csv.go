package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// csvPage is how many payments or refunds are in memory while a file is written.
const csvPage = 500

var (
	paymentHeader = []string{
		"pay_number", "created_at", "status", "channel", "user_id", "amount", "refunded_amount", "currency",
		"transaction_id", "order_numbers", "flag", "paid_at",
	}
	refundHeader = []string{
		"refund_number", "created_at", "status", "channel", "pay_number", "order_number", "transaction_id", "amount",
		"currency", "reason", "attempts", "last_error", "done_at",
	}
)

// pagesOf returns a function that returns the next rows of a table, newest first, by pages of their number.
func pagesOf[T any](
	w sqldb.Where, number string, read func(ctx context.Context, w sqldb.Where) ([]T, error),
	numberOf func(*T) order.Number, row func(*T) []string,
) func(context.Context) ([][]string, error) {
	before, done := order.Number(0), false
	return func(ctx context.Context) ([][]string, error) {
		if done {
			return nil, nil
		}
		where := sqldb.Where{}
		if conditions := w.String(); conditions != "" {
			where.And(strings.TrimPrefix(conditions, " WHERE "), w.Args()...)
		}
		where.AndIf(before != 0, number+" < ?", before)
		found, err := read(ctx, where)
		if err != nil {
			return nil, problem.Unavailable(err, "The store can't be read right now.")
		}
		done = len(found) < csvPage
		rows := make([][]string, len(found))
		for i := range found {
			rows[i], before = row(&found[i]), numberOf(&found[i])
		}
		return rows, nil
	}
}

// PaymentsCSV returns a function that returns the next rows of the payments that the filter selects, newest first.
func (s *Service) PaymentsCSV(f PaymentFilter) func(context.Context) ([][]string, error) {
	w := f.where()
	return pagesOf(w, "pay_number", func(ctx context.Context, w sqldb.Where) (payments []pay.Payment, err error) {
		query := `SELECT ` + pay.PaymentColumns + ` FROM payments` + w.String() + ` ORDER BY pay_number DESC LIMIT ?`
		if err := sqlx.SelectContext(ctx, s.db.Bulk(ctx), &payments, query, w.Args(csvPage)...); err != nil {
			return nil, fmt.Errorf("select page of payments: %w", err)
		}
		return payments, fillAllOrders(ctx, s.db.Bulk(ctx), payments)
	}, func(p *pay.Payment) order.Number { return p.Number }, func(p *pay.Payment) []string {
		orders := make([]string, len(p.Orders))
		for i, po := range p.Orders {
			orders[i] = po.Order.String()
		}
		return []string{
			p.Number.String(), csvTime(p.CreatedMS), string(p.Status), p.Channel, p.User,
			strconv.FormatInt(p.Amount, 10), strconv.FormatInt(p.Refunded, 10), p.Currency, p.Transaction,
			strings.Join(orders, "; "), p.Flag, csvTime(p.PaidMS),
		}
	})
}

// RefundsCSV returns a function that returns the next rows of the refunds that the filter selects, newest first.
func (s *Service) RefundsCSV(f RefundFilter) func(context.Context) ([][]string, error) {
	w := f.where()
	return pagesOf(w, "refund_number", func(ctx context.Context, w sqldb.Where) (refunds []pay.Refund, err error) {
		query := `SELECT ` + pay.RefundColumns + ` FROM refunds` + w.String() + ` ORDER BY refund_number DESC LIMIT ?`
		if err := sqlx.SelectContext(ctx, s.db.Bulk(ctx), &refunds, query, w.Args(csvPage)...); err != nil {
			return nil, fmt.Errorf("select page of refunds: %w", err)
		}
		return refunds, nil
	}, func(r *pay.Refund) order.Number { return r.Number }, func(r *pay.Refund) []string {
		number := ""
		if r.Order != 0 {
			number = r.Order.String()
		}
		return []string{
			r.Number.String(), csvTime(r.CreatedMS), string(r.Status), r.Channel, r.Payment.String(), number,
			r.Transaction, strconv.FormatInt(r.Amount, 10), r.Currency, r.Reason, strconv.Itoa(r.Attempts), r.LastError,
			csvTime(r.DoneMS),
		}
	})
}

// csvTime returns a time as the API has it; "" for 0.
func csvTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return api.FormatMS(ms)
}

// fillAllOrders reads the orders of payments in one statement.
func fillAllOrders(ctx context.Context, q sqlx.QueryerContext, payments []pay.Payment) error {
	if len(payments) == 0 {
		return nil
	}
	at := make(map[order.Number]*pay.Payment, len(payments))
	args := make([]any, len(payments))
	for i := range payments {
		at[payments[i].Number], args[i] = &payments[i], payments[i].Number
	}
	var orders []pay.PaymentOrder
	query := `SELECT pay_number, order_number, amount FROM payment_orders WHERE pay_number IN (` +
		sqldb.In(len(args)) + `) ORDER BY pay_number, order_number`
	if err := sqlx.SelectContext(ctx, q, &orders, query, args...); err != nil {
		return fmt.Errorf("select orders of %d payments: %w", len(payments), err)
	}
	for _, po := range orders {
		at[po.Payment].Orders = append(at[po.Payment].Orders, po)
	}
	return nil
}

// PaymentsOf returns the payments of an order, newest first, as the list of payments shows them: to an operator of one
// shop, those for orders of that shop only.
func (s *Service) PaymentsOf(ctx context.Context, n order.Number) (any, error) {
	f := PaymentFilter{Order: n, Shop: api.ShopOf(ctx)}
	list, err := s.Payments(ctx, f, api.Page{Page: 1, Size: api.MaxPageSize})
	if list.Items == nil {
		list.Items = []pay.OperatorView{}
	}
	return list.Items, err
}
