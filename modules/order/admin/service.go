package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Filter selects stored orders; fields with their zero value select all.
type Filter struct {
	Status   order.Status
	Type     order.Type
	Kind     catalogue.Kind
	Shop     string
	User     string
	Activity string
	// SKU selects the orders with an item of it. No index has it: with Activity, the orders of the sale are read.
	SKU    string
	Number order.Number
	// ClientReference selects the orders with this reference.
	ClientReference string
	// Room, ShareCode, ShareSource and Inviter select the orders that have exactly these.
	Room, ShareCode, ShareSource, Inviter string
	// From (inclusive) and To (exclusive) select by the time of placing, exact to the second.
	From, To api.Millis
}

// View is an order in the operators' API: with its user and the complete log.
type View struct {
	order.View
	User string    `json:"user_id"`
	Log  []LogLine `json:"log"`
}

// LogLine is one line of an order's log: who did what, when, and from which address.
type LogLine struct {
	At   api.Millis `json:"at"`
	Who  string     `json:"who"`
	What string     `json:"what"`
	From string     `json:"from,omitempty"`
	// TraceID is the trace of the work that wrote the line, if that was sampled.
	TraceID string `json:"trace_id,omitempty"`
}

// statement returns the SELECT of a column or a count of the orders that match the filter, and its conditions. With a
// label it begins with the orders that have the label, in the order of their numbers, and reads the table orders only
// if the filter needs its columns. The optimizer might rather read all orders of a sale and sort them, so the statement
// fixes the order of the tables. A user has few orders, so a filter with a user begins with them.
func (f Filter) statement(what string, before order.Number) (query string, where sqldb.Where) {
	labels, columns := f.labels(), f.columns()
	if len(labels) == 0 || f.User != "" || f.Number != 0 {
		for _, l := range labels {
			columns.And(`EXISTS (SELECT 1 FROM order_labels AS other
				WHERE other.name = ? AND other.value = ? AND other.number = orders.number)`, l.name, l.value)
		}
		columns.AndAll(f.numbersBelow(before))
		return `SELECT ` + what + ` FROM orders` + columns.String(), columns
	}
	var labelled sqldb.Where
	labelled.And("name = ? AND value = ?", labels[0].name, labels[0].value)
	for _, l := range labels[1:] {
		labelled.And(`EXISTS (SELECT 1 FROM order_labels AS other
			WHERE other.name = ? AND other.value = ? AND other.number = order_labels.number)`, l.name, l.value)
	}
	labelled.AndAll(f.numbersBelow(before))
	if columns.String() == "" {
		return `SELECT ` + what + ` FROM order_labels` + labelled.String(), labelled
	}
	labelled.AndAll(columns)
	// MySQL keeps the order of a STRAIGHT_JOIN, SQLite that of a CROSS JOIN.
	return `SELECT /*! STRAIGHT_JOIN */ ` + what + ` FROM order_labels CROSS JOIN orders USING (number)` +
		labelled.String(), labelled
}

// numbersBelow returns the conditions on the number; before is 0 or the number that a page ends before.
func (f Filter) numbersBelow(before order.Number) (w sqldb.Where) {
	w.AndIf(f.Number != 0, "number = ?", f.Number)
	w.AndIf(f.From != 0, "number >= ?", order.FirstNumberAt(f.From.Time()))
	w.AndIf(f.To != 0, "number < ?", order.FirstNumberAt(f.To.Time()))
	w.AndIf(before != 0, "number < ?", before)
	return w
}

// label is a row of order_labels.
type label struct{ name, value string }

// labels returns the labels that the filter names.
func (f Filter) labels() (labels []label) {
	c := order.Content{
		ClientReference: f.ClientReference, Room: f.Room, ShareCode: f.ShareCode, ShareSource: f.ShareSource,
		Inviter: f.Inviter,
	}
	for _, l := range order.Labels() {
		if value := l.Of(&c); value != "" {
			labels = append(labels, label{l.Name, value})
		}
	}
	return labels
}

// columns returns the conditions on columns of orders other than the number.
func (f Filter) columns() (w sqldb.Where) {
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Type != "", "type = ?", f.Type)
	w.AndIf(f.Shop != "", "shop_id = ?", f.Shop)
	w.AndIf(f.User != "", "user_id = ?", f.User)
	w.AndIf(f.Activity != "", "activity_id = ?", f.Activity)
	w.AndIf(f.Kind != "", order.HasKind, f.Kind, f.Kind)
	w.AndIf(f.SKU != "", order.HasSKU, f.SKU, f.SKU)
	return w
}

// Service reads the stored orders for operators.
type Service struct{ db *sqldb.DB }

// NewService returns the orders in db.
func NewService(db *sqldb.DB) *Service { return &Service{db} }

// List lists the stored orders, newest first, in one read view. By cursor it has no total.
func (s *Service) List(ctx context.Context, f Filter, page api.Page) (api.List[View], error) {
	list := api.List[View]{Page: page.Page, PageSize: page.Size}
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.Before == 0 {
			query, where := f.statement(`COUNT(*)`, 0)
			var total int64
			if err := tx.GetContext(ctx, &total, query, where.Args()...); err != nil {
				return fmt.Errorf("count orders: %w", err)
			}
			list.Total = &total
		}
		numbers, err := f.numbers(ctx, tx, order.Number(page.Before), page.Size+1, page.Offset())
		if err != nil {
			return err
		}
		if len(numbers) > page.Size {
			numbers = numbers[:page.Size]
			list.NextCursor = numbers[page.Size-1].String()
		}
		list.Items, err = operatorViews(ctx, tx, numbers)
		return err
	})
	if err != nil {
		return list, problem.Unavailable(err, "The orders can't be read right now.")
	}
	return list, nil
}

// statuses are all states of an order.
var statuses = []order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed}

// numbers returns the numbers of the orders that the filter selects, newest first, from an index in its order. The
// index of a sale's orders is by status, so one query for each status reads from it; to skip orders of all states, SQL
// has to sort them. Labels have the orders of all states together.
func (f Filter) numbers(
	ctx context.Context, q sqlx.QueryerContext, before order.Number, limit, offset int,
) ([]order.Number, error) {
	each := []order.Status{f.Status}
	if f.Activity != "" && f.Status == "" && offset == 0 && len(f.labels()) == 0 {
		each = statuses
	}
	var all []order.Number
	for _, status := range each {
		f.Status = status
		query, where := f.statement(`number`, before)
		query += ` ORDER BY number DESC LIMIT ? OFFSET ?`
		var numbers []order.Number
		if err := sqlx.SelectContext(ctx, q, &numbers, query, where.Args(limit, offset)...); err != nil {
			return nil, fmt.Errorf("select page of orders: %w", err)
		}
		all = append(all, numbers...)
	}
	slices.SortFunc(all, func(a, b order.Number) int { return cmp.Compare(b, a) })
	return all[:min(limit, len(all))], nil
}

// Get returns a stored order; if there is none, the error is not_found.
func (s *Service) Get(ctx context.Context, n order.Number) (v View, err error) {
	err = s.db.InView(ctx, func(tx *sqlx.Tx) error {
		views, err := operatorViews(ctx, tx, []order.Number{n})
		if err == nil && len(views) == 0 {
			err = problem.NotFound("order")
		}
		if err != nil {
			return err
		}
		v = views[0]
		return nil
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The order can't be read right now.")
	}
	return v, err
}

// operatorViews reads orders with their logs, in the order of numbers.
func operatorViews(ctx context.Context, q sqlx.QueryerContext, numbers []order.Number) ([]View, error) {
	orders, err := order.SelectAll(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	if err := order.FillVouchers(ctx, q, orders); err != nil {
		return nil, err
	}
	logs, err := order.SelectLog(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	views := make([]View, 0, len(orders))
	for _, o := range orders {
		trace := tracing.IDOf(o.Trace) //nolint:contextcheck // it is that of the order, not of this request
		log := []LogLine{{At: o.PlacedAt, Who: "buyer", What: "placed", From: o.PlacedFrom, TraceID: trace}}
		for _, e := range logs[o.Number] {
			log = append(log, LogLine{
				At: api.Millis(e.AtMS), Who: e.Actor, What: e.Action, From: e.ClientIP, TraceID: e.TraceID,
			})
		}
		views = append(views, View{View: order.NewView(o, logs[o.Number]), User: o.User, Log: log})
	}
	return views, nil
}
