package admin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
)

const (
	revenueSpan = 5 * time.Minute // that one statement sums
	// revenueOpen is how long payments of a time may still be committed: longer than any deadline of a settlement.
	revenueOpen    = time.Minute
	longestRevenue = 48 * time.Hour
)

// Revenue is what was paid in a currency.
type Revenue struct {
	Currency string `json:"currency"    db:"currency"`
	Amount   int64  `json:"paid_amount" db:"amount"`
	Payments int64  `json:"payments"    db:"payments"`
}

// revenues keeps the sums of whole spans that no payment joins any more, by their start in ms.
type revenues struct {
	mu   sync.Mutex
	sums map[int64][]Revenue
}

func (r *revenues) get(startMS int64) ([]Revenue, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums, ok := r.sums[startMS]
	return sums, ok
}

// put keeps the sums of a span, and forgets the sums of spans that nobody can ask for any more.
func (r *revenues) put(startMS int64, sums []Revenue, oldestMS int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sums == nil {
		r.sums = map[int64][]Revenue{}
	}
	maps.DeleteFunc(r.sums, func(start int64, _ []Revenue) bool { return start < oldestMS })
	r.sums[startMS] = sums
}

// Revenue sums what was paid since a time, which is at most two days ago, by currency: for orders of sales and for
// ordinary ones, with freight, before refunds. Money that paid no order doesn't count. Each statement sums the payments
// of five minutes by their index, and past spans are summed once. Without a time it is one day ago.
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
			total[sum.Currency] = Revenue{sum.Currency, one.Amount + sum.Amount, one.Payments + sum.Payments}
		}
		start = end
	}
	sums := slices.AppendSeq(make([]Revenue, 0, len(total)), maps.Values(total)) // [] in JSON, not null
	slices.SortFunc(sums, func(a, b Revenue) int { return cmp.Compare(a.Currency, b.Currency) })
	return sums, nil
}

// revenueOf sums one span, or a part of it.
func (s *Service) revenueOf(ctx context.Context, start, end, now time.Time) ([]Revenue, error) {
	past := end.Sub(start) == revenueSpan && end.Add(revenueOpen).Before(now)
	if past {
		if sums, ok := s.revenues.get(start.UnixMilli()); ok {
			return sums, nil
		}
	}
	const query = `SELECT currency, SUM(earned) AS amount, COUNT(*) AS payments FROM payments
		WHERE paid_ms >= ? AND paid_ms < ? AND (earned > 0 OR amount = 0) GROUP BY currency`
	var sums []Revenue
	if err := sqlx.SelectContext(ctx, s.db.Bulk(ctx), &sums, query, start.UnixMilli(), end.UnixMilli()); err != nil {
		return nil, fmt.Errorf("sum payments since %s: %w", start, err)
	}
	if past {
		s.revenues.put(start.UnixMilli(), sums, now.Add(-longestRevenue-revenueSpan).UnixMilli())
	}
	return sums, nil
}
