package myorders

import (
	"strings"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Period is a range of the time when orders were placed.
type Period string

// The periods; last_three_months begins three months ago (threeMonthsBefore), and older is before it.
const (
	LastThreeMonths Period = "last_three_months"
	Older           Period = "older"
)

// Filter selects orders of a user; fields with their zero value select all. Name selects orders with an
// item whose title contains it, ignoring case.
type Filter struct {
	Status order.Status
	Type   order.Type
	Kind   catalogue.Kind
	Shop   string
	Name   string
	Number order.Number
	Period Period
}

// maxName bounds a name filter in characters, as the length of titles is bounded.
const maxName = 200

func (f Filter) check() error {
	var c problem.Checks
	switch f.Status {
	case "", order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed:
	default:
		c.That(false, "status", "must be one of unpaid, paid, cancelled, refunded, failed")
	}
	c.That(f.Type == "" || f.Type == order.Seckill || f.Type == order.Ordinary, "type", "must be seckill or ordinary")
	c.That(f.Kind == "" || f.Kind == catalogue.Physical || f.Kind == catalogue.Virtual || f.Kind == catalogue.Voucher,
		"kind", "must be one of physical, virtual, voucher")
	c.That(f.Shop == "" || ids.Valid(f.Shop), "shop_id", ids.Rule)
	c.Text("name", f.Name, 0, maxName)
	c.That(f.Number >= 0, "order_number", "must be an order number")
	c.That(f.Period == "" || f.Period == LastThreeMonths || f.Period == Older, "period",
		"must be last_three_months or older")
	return c.Err()
}

// match is a filter for one user at one time, in the form that is applied to both stores.
type match struct {
	Filter
	user  string
	name  string       // folded
	lower string       // in lower case, as versions before stored names
	since order.Number // orders from this number on …
	until order.Number // … and below this one; 0 means no bound
}

func (f Filter) match(user string, now time.Time) match {
	m := match{Filter: f, user: user, name: catalogue.FoldName(f.Name), lower: strings.ToLower(f.Name)}
	edge := order.FirstNumberAt(threeMonthsBefore(now.UTC()))
	switch f.Period {
	case LastThreeMonths:
		m.since = edge
	case Older:
		m.until = edge
	}
	return m
}

// threeMonthsBefore returns the same day and time three months earlier, or the last day of that month if
// it is shorter: for 31 May it is 28 February, not 3 March.
func threeMonthsBefore(t time.Time) time.Time {
	before := t.AddDate(0, -3, 0)
	if before.Day() != t.Day() { // AddDate overflowed into the next month
		before = before.AddDate(0, 0, -before.Day())
	}
	return before
}

// cacheable reports whether a cached order can meet the filter at all.
func (m match) cacheable() bool {
	return (m.Status == "" || m.Status == order.Unpaid) && (m.Type == "" || m.Type == order.Seckill) &&
		m.Period != Older && (m.Number == 0 || m.Number.Lane() != 0)
}

// archivable reports whether an archived order can meet the filter.
func (m match) archivable() bool { return m.since == 0 }

// meets reports whether a cached order meets the filter, like where for stored orders.
func (m match) meets(o *order.Order) bool {
	return o.User == m.user &&
		(m.Status == "" || o.Status == m.Status) &&
		(m.Type == "" || o.Type == m.Type) &&
		(m.Kind == "" || o.Kind == m.Kind) && // a cached order has one item
		(m.Shop == "" || o.Shop == m.Shop) &&
		(m.name == "" || strings.Contains(order.SearchName(o), m.name)) &&
		m.meetsNumber(o.Number)
}

// meetsNumber reports whether an order can meet the filter by its number.
func (m match) meetsNumber(n order.Number) bool {
	return (m.Number == 0 || n == m.Number) && (m.since == 0 || n >= m.since) && (m.until == 0 || n < m.until)
}

// needsRecord reports whether more than the number of a cached order decides if it meets the filter.
func (m match) needsRecord() bool { return m.Kind != "" || m.Shop != "" || m.name != "" }

// where returns the filter as a WHERE clause on orders.
func (m match) where() (w sqldb.Where) {
	w.And("user_id = ?", m.user)
	w.AndIf(m.Status != "", "status = ?", m.Status)
	w.AndIf(m.Type != "", "type = ?", m.Type)
	w.AndIf(m.Kind != "", order.HasKind, m.Kind, m.Kind)
	w.AndIf(m.Shop != "", "shop_id = ?", m.Shop)
	w.AndIf(m.name != "", "(instr(search_name, ?) > 0 OR instr(search_name, ?) > 0)", m.name, m.lower)
	w.AndIf(m.Number != 0, "number = ?", m.Number)
	w.AndIf(m.since != 0, "number >= ?", m.since)
	w.AndIf(m.until != 0, "number < ?", m.until)
	return w
}
