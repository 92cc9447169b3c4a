package attribution

import (
	"slices"
	"strings"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Names are what orders are added up by: columns of order_sources.
var Names = []string{"room_id", "share_code", "share_source", "inviter_id"}

// Ways to sort values.
const (
	ByNet    = "net"
	ByOrders = "orders"
)

// Query selects the orders that are added up. Apart from By, From and To, the zero value of a field selects all.
type Query struct {
	By       string // a name of Names
	Value    string
	Shop     string
	Activity string
	From, To api.Millis // when they were placed, From inclusive, exact to the second
}

// check returns invalid_request unless By is a name of Names, which becomes a part of statements.
func (q *Query) check() error {
	if !slices.Contains(Names, q.By) {
		return problem.Invalid("by", "must be one of %s", strings.Join(Names, ", "))
	}
	return nil
}

// column returns the column that By names.
func (q *Query) column() string {
	switch q.By {
	case "room_id":
		return "room_id"
	case "share_code":
		return "share_code"
	case "share_source":
		return "share_source"
	}
	return "inviter_id"
}

// where returns which rows are added up.
func (q *Query) where() (w sqldb.Where) {
	w.And("number >= ? AND number < ?", order.FirstNumberAt(q.From.Time()), order.FirstNumberAt(q.To.Time()))
	w.And(q.column() + " <> ''")
	w.AndIf(q.Value != "", q.column()+" = ?", q.Value)
	w.AndIf(q.Shop != "", "shop_id = ?", q.Shop)
	w.AndIf(q.Activity != "", "activity_id = ?", q.Activity)
	return w
}

// grouped returns the statement that adds up the orders by a key and their currency, in the order of the key, and its
// arguments. arg is the argument of the key.
func (q *Query) grouped(key string, arg ...any) (query string, args []any) {
	where := q.where()
	return `SELECT ` + key + ` AS part, currency AS paid_in, COUNT(*) AS orders, SUM(paid) AS paid_orders,
		SUM(CASE WHEN paid = 1 THEN total_amount ELSE 0 END) AS paid_amount, SUM(refunded_amount) AS refunded
		FROM order_sources` + where.String() + ` GROUP BY part, paid_in ORDER BY part`, slices.Concat(arg, where.Args())
}

// counted returns the statement that counts at most so many of the orders that grouped reads, and its arguments.
func (q *Query) counted(most int) (query string, args []any) {
	where := q.where()
	return `SELECT COUNT(*) FROM (SELECT number FROM order_sources` + where.String() + ` LIMIT ?) AS counted`,
		where.Args(most)
}
