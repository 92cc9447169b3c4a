package attribution

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/bounded"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// maxOrders bounds the orders that one request adds up.
	maxOrders = 1_000_000
	// maxValues bounds the values that a list names.
	maxValues = 1000
	// freshFor is for how long a list answers further requests.
	freshFor = time.Minute
	// maxLists is how many lists are kept for further requests.
	maxLists = 20
	// quarter is the length of the spans of which days are made: days begin at its multiples in all zones.
	quarter = 15 * time.Minute
)

// Service adds up the orders in SQL.
type Service struct {
	db  *sqldb.DB
	now func() time.Time

	reading   chan struct{} // holds one value while orders are added up
	lists     *bounded.Map[listKey, *List]
	maxOrders int
	maxValues int
}

// NewService returns the Service of the orders in db, which may have views on the replica.
func NewService(db *sqldb.DB, now func() time.Time) *Service {
	return &Service{
		db: db, now: now, reading: make(chan struct{}, 1), lists: bounded.New[listKey, *List](maxLists),
		maxOrders: maxOrders, maxValues: maxValues,
	}
}

// List is what came of the orders by value. Total is the sum of Items and Others.
type List struct {
	By       string     `json:"by"`
	From     api.Millis `json:"from"`
	To       api.Millis `json:"to"`
	MadeAt   api.Millis `json:"made_at"`
	Sort     string     `json:"sort"`
	Currency string     `json:"currency,omitempty"` // that the net amounts are sorted by
	Total    Sums       `json:"total"`
	Others   Sums       `json:"others"`
	Values   int64      `json:"values"` // how many values orders have, also among Others
	Items    []Value    `json:"-"`
}

type listKey struct {
	Query
	sort, currency string
}

// List adds up orders by value: at most 1,000 values, those with the most orders, or with the highest net amount in a
// currency, by default the one in which most orders were paid. By net it has only values with paid orders in the
// currency. The list is at most a minute old. Errors: invalid_request if there are more than a million orders,
// unavailable, overloaded if others take too long.
func (s *Service) List(ctx context.Context, q Query, sort, currency string) (*List, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	now, key := api.Millis(s.now().UnixMilli()), listKey{q, sort, currency}
	if l, ok := s.lists.Get(key); ok && now >= l.MadeAt && int64(now-l.MadeAt) < freshFor.Milliseconds() {
		return l, nil
	}
	l := &List{By: q.By, From: q.From, To: q.To, MadeAt: now, Sort: sort}
	l.Total.Amounts = []Amount{}
	tops, one := map[string]*largest{}, Value{}
	offer := func(of string, rank int64) {
		if tops[of] == nil {
			tops[of] = new(largest)
		}
		one.rank = rank
		tops[of].add(one, s.maxValues)
	}
	finish := func() {
		switch {
		case one.Orders == 0:
			return
		case sort == ByOrders:
			offer("", one.Orders)
		default:
			for _, a := range one.Amounts {
				offer(a.Currency, a.Net)
			}
		}
		l.Values++
	}
	err = eachGroup(ctx, s, q, q.column(), nil, func(value string, g group) {
		// MySQL ignores trailing spaces when it compares values.
		if value = strings.TrimRight(value, " "); value != one.Value {
			finish()
			one = Value{Value: value, Sums: Sums{Amounts: []Amount{}}}
		}
		one.add(g)
		l.Total.add(g)
	})
	if err != nil {
		return nil, err
	}
	finish()
	if sort == ByNet {
		l.Currency = l.Total.mostPaid(currency)
	}
	if top := tops[l.Currency]; top != nil {
		l.Items = *top
	}
	slices.SortFunc(l.Items, compareValues)
	l.Others = l.Total.less(l.Items)
	s.lists.Set(key, l)
	return l, nil
}

// mostPaid returns a currency, or, if it is empty, the one in which most orders were paid.
func (s *Sums) mostPaid(currency string) string {
	most := int64(0)
	for _, a := range s.Amounts {
		if currency == "" || most > 0 && a.PaidOrders > most {
			currency, most = a.Currency, a.PaidOrders
		}
	}
	return currency
}

// Day is what came of the orders of a day.
type Day struct {
	Day string `json:"day"` // such as 2026-11-29
	Sums
}

// Days adds up orders by the day of a zone on which they were placed, oldest first. Days without orders are left out.
// The errors are as of List.
func (s *Service) Days(ctx context.Context, q Query, zone *time.Location) ([]Day, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	days := []Day{}
	step := order.FirstNumberAt(order.Number(0).Time().Add(quarter))
	err = eachGroup(ctx, s, q, "number - number % ?", []any{step}, func(n order.Number, g group) {
		day := n.Time().In(zone).Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Day != day {
			days = append(days, Day{Day: day, Sums: Sums{Amounts: []Amount{}}})
		}
		days[len(days)-1].add(g)
	})
	return days, err
}

// begin waits until nothing else is added up; the caller must call end.
func (s *Service) begin(ctx context.Context) (end func(), err error) {
	select {
	case s.reading <- struct{}{}:
		return func() { <-s.reading }, nil
	case <-ctx.Done():
		return nil, problem.Errorf(problem.CodeOverloaded, "Other orders are being added up.").After(10 * time.Second)
	}
}

// eachGroup calls add with the groups of a query, in the order of their keys.
func eachGroup[K any](
	ctx context.Context, s *Service, q Query, key string, arg []any, add func(key K, g group),
) error {
	if err := q.check(); err != nil {
		return err
	}
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		var orders int
		count, args := q.counted(s.maxOrders + 1)
		if err := tx.GetContext(ctx, &orders, count, args...); err != nil {
			return fmt.Errorf("count orders by %s: %w", q.By, err)
		}
		if orders > s.maxOrders {
			return problem.Invalid("from", "must be later: there are more than %d orders", s.maxOrders)
		}
		statement, args := q.grouped(key, arg...)
		rows, err := tx.QueryxContext(ctx, statement, args...) //nolint:sqlclosecheck // the deferred function closes it
		if err != nil {
			return fmt.Errorf("add up orders by %s: %w", q.By, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var k K
			var g group
			if err := rows.Scan(&k, &g.Currency, &g.Orders, &g.PaidOrders, &g.Paid, &g.Refunded); err != nil {
				return fmt.Errorf("add up orders by %s: %w", q.By, err)
			}
			add(k, g)
		}
		return rows.Err()
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The orders can't be added up right now.")
	}
	return err
}
