package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Period selects what was created from From on and before Before; 0 is no bound.
type Period struct{ From, Before api.Millis }

// numberSlack is how much the time in a number may differ from the row's time of creation, which another
// instance may have pushed on.
const numberSlack = time.Minute

// where adds the period to w. The bounds of the number, which begins with its time, keep the query on the
// primary key.
func (p Period) where(w *sqldb.Where, number string) {
	if p.From != 0 {
		w.And(number+" >= ?", order.FirstNumberAt(p.From.Time().Add(-numberSlack)))
		w.And("created_ms >= ?", int64(p.From))
	}
	if p.Before != 0 {
		w.And(number+" < ?", order.FirstNumberAt(p.Before.Time().Add(numberSlack)))
		w.And("created_ms < ?", int64(p.Before))
	}
}

// PaymentFilter selects payments; zero values select all.
type PaymentFilter struct {
	Status  pay.Status
	Channel string
	User    string
	Order   order.Number
	Flagged *bool // whether an operator must examine them
	// Shop selects the payments all of whose orders are of this shop.
	Shop    string
	Created Period
}

func (f PaymentFilter) where() (w sqldb.Where) {
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Channel != "", "channel = ?", f.Channel)
	w.AndIf(f.User != "", "user_id = ?", f.User)
	w.AndIf(f.Order != 0, "pay_number IN (SELECT pay_number FROM payment_orders WHERE order_number = ?)", f.Order)
	if f.Flagged != nil {
		w.And(map[bool]string{true: "flag <> ''", false: "flag = ''"}[*f.Flagged])
	}
	w.AndIf(f.Shop != "", paidOnlyFor("payments.pay_number"), f.Shop, f.Shop)
	f.Created.where(&w, "pay_number")
	return w
}

// RefundFilter selects refunds; zero values select all.
type RefundFilter struct {
	Status  pay.RefundStatus
	Channel string
	Reason  string
	Payment order.Number
	Order   order.Number
	// Shop selects the refunds of orders of this shop, and refunds of whole payments for such orders only.
	Shop string
	// WaitsFor selects pending refunds by what they wait for.
	WaitsFor pay.WaitsFor
	// NeedsPerson selects refunds that an operator must act on: they failed, wait for the merchant's balance, or have
	// waited for their gateway since before this time. Refunds that were made at the gateway are left out: if such a
	// refund failed, its payment is flagged.
	NeedsPerson time.Time
	Created     Period
}

// longWait is how long a refund waits for its gateway before it needs a person: its channel may be off.
const longWait = time.Hour

func (f RefundFilter) where() (w sqldb.Where) {
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Channel != "", "channel = ?", f.Channel)
	w.AndIf(f.Reason != "", "reason = ?", f.Reason)
	w.AndIf(f.WaitsFor != "", "status = 'pending' AND waits_for = ?", f.WaitsFor)
	w.AndIf(!f.NeedsPerson.IsZero(), `status IN ('failed', 'pending') AND outside_id = '' AND (status = 'failed'
		OR waits_for = 'balance' OR (waits_for = 'gateway' AND created_ms < ?))`, f.NeedsPerson.UnixMilli())
	w.AndIf(f.Payment != 0, "pay_number = ?", f.Payment)
	w.AndIf(f.Order != 0, "order_number = ?", f.Order)
	w.AndIf(f.Shop != "", refundedFor("refunds"), f.Shop, f.Shop, f.Shop, f.Shop)
	f.Created.where(&w, "refund_number")
	return w
}

// Payments lists payments, newest first, by page or by cursor.
func (s *Service) Payments(
	ctx context.Context, f PaymentFilter, page api.Page,
) (api.List[pay.OperatorView], error) {
	list := api.List[pay.OperatorView]{Page: page.Page, PageSize: page.Size}
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		l := listing{table: "payments", columns: pay.PaymentColumns, key: "pay_number", where: f.where(), page: page}
		var payments []pay.Payment
		if err := l.read(ctx, tx, &list.Total, &payments); err != nil {
			return err
		}
		if len(payments) > page.Size {
			payments = payments[:page.Size]
			list.NextCursor = payments[page.Size-1].Number.String()
		}
		for i := range payments {
			if err := pay.FillOrders(ctx, tx, &payments[i]); err != nil {
				return err
			}
			list.Items = append(list.Items, pay.ShowForOperators(&payments[i]))
		}
		return nil
	})
	if err != nil {
		return list, problem.Unavailable(err, "The payments can't be read right now.")
	}
	return list, nil
}

// Refunds lists refunds, newest first, by page or by cursor.
func (s *Service) Refunds(ctx context.Context, f RefundFilter, page api.Page) (api.List[*pay.RefundView], error) {
	list := api.List[*pay.RefundView]{Page: page.Page, PageSize: page.Size}
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		l := listing{table: "refunds", columns: pay.RefundColumns, key: "refund_number", where: f.where(), page: page}
		var refunds []pay.Refund
		if err := l.read(ctx, tx, &list.Total, &refunds); err != nil {
			return err
		}
		if len(refunds) > page.Size {
			refunds = refunds[:page.Size]
			list.NextCursor = refunds[page.Size-1].Number.String()
		}
		if err := pay.FillItems(ctx, tx, refunds); err != nil {
			return err
		}
		for i := range refunds {
			list.Items = append(list.Items, pay.ShowRefund(&refunds[i]))
		}
		return nil
	})
	if err != nil {
		return list, problem.Unavailable(err, "The refunds can't be read right now.")
	}
	return list, nil
}

// listing is one page of a table, newest first by its key.
type listing struct {
	table, columns, key string
	where               sqldb.Where
	page                api.Page
}

// read reads the rows of the page and one more, by which the caller knows that there are more. Only a page by
// number is counted: that reads all rows of the filter.
func (l *listing) read(ctx context.Context, tx *sqlx.Tx, total **int64, rows any) error {
	if l.page.Before == 0 {
		var n int64
		if err := tx.GetContext(ctx, &n, `SELECT COUNT(*) FROM `+l.table+l.where.String(),
			l.where.Args()...); err != nil {
			return fmt.Errorf("count %s: %w", l.table, err)
		}
		*total = &n
	}
	l.where.AndIf(l.page.Before != 0, l.key+" < ?", l.page.Before)
	query := `SELECT ` + l.columns + ` FROM ` + l.table + l.where.String() + ` ORDER BY ` + l.key +
		` DESC LIMIT ? OFFSET ?`
	if err := tx.SelectContext(ctx, rows, query, l.where.Args(l.page.Size+1, l.page.Offset())...); err != nil {
		return fmt.Errorf("select %s: %w", l.table, err)
	}
	return nil
}
