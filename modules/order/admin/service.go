package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Filter selects orders; fields with their zero value select all.
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
	// Fulfilment selects the orders that have come so far; Unpacked selects orders of goods to deliver that nobody has
	// packed. No index has the latter: all orders with the other fields are read.
	Fulfilment order.FulfilmentState
	Unpacked   bool
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

// statement returns the SELECT of the numbers of the orders in a table (order.Live, order.Archived) that match
// the filter, and its conditions. A user has few orders, so a filter with a user begins with them.
func (f Filter) statement(table string, before order.Number) (query string, where sqldb.Where) {
	columns := f.columns()
	for _, l := range f.labels() {
		columns.And(`EXISTS (SELECT 1 FROM order_labels AS other
			WHERE other.name = ? AND `+sqldb.Exactly("other.value")+` AND other.number = orders.number)`,
			l.name, l.value, l.value)
	}
	columns.AndAll(f.numbersBelow(before))
	return `SELECT number FROM ` + table + columns.String(), columns
}

// beginsWithLabel reports whether the filter selects with labelled rather than with statement.
func (f Filter) beginsWithLabel() bool { return len(f.labels()) > 0 && f.User == "" && f.Number == 0 }

// labelled returns the SELECT of the numbers of the orders that match a filter with a label, and its
// conditions. It begins with the orders that have the label, in the order of their numbers, and looks into the tables
// of orders only if the filter needs their columns. The optimizer would rather read all orders of a sale and sort them;
// it can't with two subqueries.
func (f Filter) labelled(before order.Number) (query string, where sqldb.Where) {
	labels, columns := f.labels(), f.columns()
	where.And("name = ? AND "+sqldb.Exactly("value"), labels[0].name, labels[0].value, labels[0].value)
	for _, l := range labels[1:] {
		where.And(`EXISTS (SELECT 1 FROM order_labels AS other
			WHERE other.name = ? AND `+sqldb.Exactly("other.value")+` AND other.number = order_labels.number)`,
			l.name, l.value, l.value)
	}
	where.AndAll(f.numbersBelow(before))
	if columns.String() != "" {
		where.And(`(EXISTS (SELECT 1 FROM `+order.Live+columns.String()+` AND orders.number = order_labels.number)
			OR EXISTS (SELECT 1 FROM `+order.Archived+columns.String()+` AND orders.number = order_labels.number))`,
			columns.Args(columns.Args()...)...)
	}
	return `SELECT number FROM order_labels` + where.String(), where
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
	if f.Fulfilment != "" {
		labels = append(labels, label{order.LabelFulfilment, string(f.Fulfilment)})
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
	w.AndIf(f.Unpacked, `kind = 'physical' AND paid_ms > 0
		AND NOT EXISTS (SELECT 1 FROM fulfilments WHERE order_number = orders.number)`)
	return w
}

// Ensurer stores orders that only Redis has, before operators see them or decide about them.
type Ensurer interface {
	// EnsureNumber stores an order. Errors: not_found, unavailable.
	EnsureNumber(ctx context.Context, n order.Number) error
	// EnsureOrdersOf stores the orders of a user; complete is false if some of them are still in Redis.
	EnsureOrdersOf(ctx context.Context, user string) (complete bool, err error)
}

// ensureWithin bounds what a list stores first, so that a slow store leaves time for the list.
const ensureWithin = time.Second

// Service reads the orders for operators.
type Service struct {
	db     *sqldb.DB
	ensure Ensurer
}

// NewService returns the orders in db, and those that ensure stores there.
func NewService(db *sqldb.DB, ensure Ensurer) *Service { return &Service{db, ensure} }

// Ensure stores an order that only Redis has. Errors: not_found, unavailable.
func (s *Service) Ensure(ctx context.Context, n order.Number) error {
	return s.ensure.EnsureNumber(ctx, n)
}

// ensureSelected stores the orders of the number or of the user that the filter selects. complete is false if some of
// them may still be only in Redis.
func (s *Service) ensureSelected(ctx context.Context, f Filter) (complete bool) {
	ctx, cancel := context.WithTimeout(ctx, ensureWithin)
	defer cancel()
	switch {
	case f.Number != 0:
		err := s.Ensure(ctx, f.Number)
		return err == nil || problem.CodeOf(err) == problem.CodeNotFound
	case f.User != "":
		complete, err := s.ensure.EnsureOrdersOf(ctx, f.User)
		return complete && err == nil
	}
	return true
}

// List lists the stored orders, newest first, in one read view. By page number it has a total, if that is at most
// maxCounted. A list by number or user has the orders that are still only in Redis, too: it stores them first, and is
// Partial if it can't.
func (s *Service) List(ctx context.Context, f Filter, page api.Page) (api.List[View], error) {
	list := api.List[View]{Page: page.Page, PageSize: page.Size}
	list.Partial = !s.ensureSelected(ctx, f)
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.Before == 0 {
			total, err := f.count(ctx, tx)
			if err != nil {
				return err
			}
			if total <= maxCounted {
				list.Total = &total
			}
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

// maxCounted is up to how many orders a list counts; with more, counting would take longer than reading the page.
const maxCounted = 10_000

// count returns how many orders the filter selects, at most a few more than maxCounted.
func (f Filter) count(ctx context.Context, q sqlx.QueryerContext) (total int64, err error) {
	query, args := f.counted(maxCounted + 1)
	if err := sqlx.GetContext(ctx, q, &total, query, args...); err != nil {
		return 0, fmt.Errorf("count orders: %w", err)
	}
	return total, nil
}

// counted returns the statement that counts at most so many orders of each table, with its arguments.
func (f Filter) counted(most int) (query string, args []any) {
	if f.beginsWithLabel() {
		labelled, where := f.labelled(0)
		return `SELECT COUNT(*) FROM (` + labelled + ` LIMIT ?) AS labelled`, where.Args(most)
	}
	live, where := f.statement(order.Live, 0)
	archived, _ := f.statement(order.Archived, 0)
	args = where.Args(most)
	return `SELECT (SELECT COUNT(*) FROM (` + live + ` LIMIT ?) AS live)
		+ (SELECT COUNT(*) FROM (` + archived + ` LIMIT ?) AS archived)`, slices.Concat(args, args)
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
		query, args := f.newest(before, limit, offset)
		var numbers []order.Number
		if err := sqlx.SelectContext(ctx, q, &numbers, query, args...); err != nil {
			return nil, fmt.Errorf("select page of orders: %w", err)
		}
		all = append(all, numbers...)
	}
	slices.SortFunc(all, func(a, b order.Number) int { return cmp.Compare(b, a) })
	return all[:min(limit, len(all))], nil
}

// newest returns the statement that selects the numbers of the orders that match the filter, with its arguments.
func (f Filter) newest(before order.Number, limit, offset int) (query string, args []any) {
	if f.beginsWithLabel() {
		labelled, where := f.labelled(before)
		return labelled + ` ORDER BY number DESC LIMIT ? OFFSET ?`, where.Args(limit, offset)
	}
	live, where := f.statement(order.Live, before)
	archived, _ := f.statement(order.Archived, before)
	return order.Newest(live, archived, where.Args(), limit, offset)
}

// Get returns an order, and stores it first if only Redis has it; if there is none, the error is not_found.
func (s *Service) Get(ctx context.Context, n order.Number) (View, error) {
	v, err := s.get(ctx, n)
	if problem.CodeOf(err) != problem.CodeNotFound {
		return v, err
	}
	if err := s.Ensure(ctx, n); err != nil {
		return View{}, err
	}
	return s.get(ctx, n)
}

// ShopOf returns the shop of an order, which it stores first if only Redis has it; if there is none, the error is
// not_found.
func (s *Service) ShopOf(ctx context.Context, n order.Number) (string, error) {
	shop, err := s.shopOf(ctx, n)
	if problem.CodeOf(err) != problem.CodeNotFound {
		return shop, err
	}
	if err := s.Ensure(ctx, n); err != nil {
		return "", err
	}
	return s.shopOf(ctx, n)
}

// shopOf returns the shop of an order that SQL has.
func (s *Service) shopOf(ctx context.Context, n order.Number) (string, error) {
	const query = `SELECT shop_id FROM orders WHERE number = ?
		UNION ALL SELECT shop_id FROM orders_archive WHERE number = ?`
	var shops []string
	if err := s.db.Read.SelectContext(ctx, &shops, query, n, n); err != nil {
		return "", problem.Unavailable(fmt.Errorf("select the shop of order %s: %w", n, err),
			"The order can't be read right now.")
	}
	if len(shops) == 0 {
		return "", problem.NotFound("order")
	}
	return shops[0], nil
}

// FormerAddresses returns the addresses that an order had before its buyer changed them, oldest first.
func (s *Service) FormerAddresses(ctx context.Context, n order.Number) ([]complete.FormerAddress, error) {
	former, err := complete.FormerAddresses(ctx, s.db.Read, n)
	if err != nil {
		err = problem.Unavailable(err, "The order can't be read right now.")
	}
	return former, err
}

// get returns an order that SQL has.
func (s *Service) get(ctx context.Context, n order.Number) (v View, err error) {
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
	if err := complete.Fill(ctx, q, orders); err != nil {
		return nil, err
	}
	logs, err := order.SelectLog(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	views := make([]View, 0, len(orders))
	for _, o := range orders {
		trace := tracing.IDOf(o.Trace) //nolint:contextcheck // the trace of the order, not of this request
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
