package admin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	revenueSpan = 5 * time.Minute // that one statement sums
	// revenueOpen is how long payments of a time may still be committed: longer than any deadline of a settlement.
	revenueOpen    = time.Minute
	longestRevenue = 48 * time.Hour
)

// Revenue is what was paid and refunded in a currency.
type Revenue struct {
	Currency string `json:"currency"        db:"currency"`
	Amount   int64  `json:"paid_amount"     db:"amount"`
	Payments int64  `json:"payments"        db:"payments"`
	Refunded int64  `json:"refunded_amount" db:"refunded"`
	Net      int64  `json:"net_amount"      db:"-"` // may be negative: earlier payments are refunded, too
}

// span is a whole span of time whose payments were summed: of a shop, or of all.
type span struct {
	shop    string
	startMS int64
}

// maxSpans is how many sums of past spans an instance keeps: enough for two days of about a hundred shops.
const maxSpans = 1 << 16

// Revenue sums what was paid since a time, which is at most two days ago, by currency: for orders of sales and for
// ordinary ones, with freight. Money that paid no order doesn't count. Beside it stands what was refunded since then of
// orders that were paid, done or under way. Each statement sums the payments or refunds of five minutes by an index,
// and past spans are summed once. Without a time it is one day ago. With api.WithShop it sums what concerns orders of
// the shop.
func (s *Service) Revenue(ctx context.Context, fromMS api.Millis) ([]Revenue, error) {
	now := s.now()
	from, oldest := time.UnixMilli(int64(fromMS)), now.Add(-longestRevenue)
	if fromMS == 0 {
		from = now.Add(-24 * time.Hour)
	}
	if from.Before(oldest) || from.After(now) {
		return nil, problem.Invalid("from", "must be in the last 48 hours")
	}
	total := map[string]Revenue{}
	for start := from; start.Before(now); {
		end := start.Truncate(revenueSpan).Add(revenueSpan)
		sums, err := s.revenueOf(ctx, start, end, now)
		if err != nil {
			return nil, problem.Unavailable(err, "The revenue can't be read right now.")
		}
		for _, sum := range sums {
			one := total[sum.Currency]
			paid, refunded := one.Amount+sum.Amount, one.Refunded+sum.Refunded
			total[sum.Currency] = Revenue{sum.Currency, paid, one.Payments + sum.Payments, refunded, paid - refunded}
		}
		start = end
	}
	sums := slices.AppendSeq(make([]Revenue, 0, len(total)), maps.Values(total)) // [] in JSON, not null
	slices.SortFunc(sums, func(a, b Revenue) int { return cmp.Compare(a.Currency, b.Currency) })
	return sums, nil
}

// revenueOf sums one span, or a part of it: payments and refunds by currency, each in rows of their own.
func (s *Service) revenueOf(ctx context.Context, start, end, now time.Time) ([]Revenue, error) {
	past := end.Sub(start) == revenueSpan && end.Add(revenueOpen).Before(now)
	key := span{api.ShopOf(ctx), start.UnixMilli()}
	if past {
		if sums, ok := s.revenues.Get(key); ok {
			return sums, nil
		}
	}
	query, args := `SELECT currency, SUM(earned) AS amount, COUNT(*) AS payments FROM payments
		WHERE paid_ms >= ? AND paid_ms < ? AND (earned > 0 OR amount = 0) GROUP BY currency`,
		[]any{start.UnixMilli(), end.UnixMilli()}
	if key.shop != "" {
		query, args = shopRevenue, append(args, key.shop)
	}
	var sums []Revenue
	if err := sqlx.SelectContext(ctx, s.db.Bulk(ctx), &sums, query, args...); err != nil {
		return nil, fmt.Errorf("sum payments since %s: %w", start, err)
	}
	refunds, err := s.refundsOf(ctx, key.shop, Period{api.Millis(start.UnixMilli()), api.Millis(end.UnixMilli())})
	if err != nil {
		return nil, err
	}
	sums = append(sums, refunds...)
	if past {
		s.revenues.Set(key, sums)
	}
	return sums, nil
}

// refundsOf sums the refunds of a period; with a shop, only refunds of its orders. Money that paid no order was never
// earned, so its refunds don't count.
func (s *Service) refundsOf(ctx context.Context, shop string, p Period) (sums []Revenue, err error) {
	var w sqldb.Where
	p.where(&w, "refund_number")
	w.And("reason IN (?, ?)", pay.ReasonOperator, pay.ReasonOutside)
	w.AndIf(shop != "", refundedFor("refunds"), shop, shop, shop, shop)
	query := `SELECT currency, SUM(amount) AS refunded FROM refunds` + w.String() + ` GROUP BY currency`
	if err := sqlx.SelectContext(ctx, s.db.Bulk(ctx), &sums, query, w.Args()...); err != nil {
		return nil, fmt.Errorf("sum refunds since %s: %w", p.From, err)
	}
	return sums, nil
}

// shopRevenue sums the parts of payments that paid orders of a shop: an order has the time of the payment that paid it.
// An order may be in the archive, if its sale left a long time to pay. CROSS JOIN and the subqueries make SQLite begin
// with the payments, not with all orders of the shop.
const shopRevenue = `SELECT p.currency, SUM(part.amount) AS amount, COUNT(DISTINCT p.pay_number) AS payments
	FROM payments AS p CROSS JOIN payment_orders AS part ON part.pay_number = p.pay_number
	WHERE p.paid_ms >= ? AND p.paid_ms < ? AND (p.earned > 0 OR p.amount = 0) AND COALESCE(
		(SELECT o.shop_id FROM orders AS o WHERE o.number = part.order_number AND o.paid_ms = p.paid_ms),
		(SELECT o.shop_id FROM orders_archive AS o WHERE o.number = part.order_number AND o.paid_ms = p.paid_ms)) = ?
	GROUP BY p.currency`
