package report

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/bounded"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

const (
	// freshFor is how long a report is answered again.
	freshFor = 10 * time.Second
	// maxReports is how many reports are kept for that.
	maxReports = 20
	// maxSources bounds how many rooms, and how many share sources, a report names.
	maxSources = 100
)

// Service makes the reports of sales.
type Service struct {
	Deps

	making chan struct{} // holds one value while a report is made
	made   *bounded.Map[string, *Report]
	page   int
}

// NewService returns a Service.
func NewService(d Deps) *Service {
	return &Service{
		Deps: d, making: make(chan struct{}, 1), made: bounded.New[string, *Report](maxReports), page: pageOrders,
	}
}

// Report returns the report of a published or closed activity, at most 10 s old. Requests wait for each other, so that
// a report is read once and no two are made at the same time. Errors: not_found, conflict for a draft, unavailable
// while SQL is, overloaded if others take too long.
func (s *Service) Report(ctx context.Context, activity string) (*Report, error) {
	a, err := seckill.ViewActivity(ctx, s.DB, activity)
	switch {
	case err != nil:
		return nil, problem.Unavailable(err, "The activity can't be read right now.")
	case a == nil:
		return nil, problem.NotFound("activity")
	case a.State == seckill.Draft:
		return nil, problem.Errorf(problem.CodeConflict, "The activity is a draft.")
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { <-s.making }()
	now := s.Clock.NowMS()
	if r, ok := s.made.Get(activity); ok && now-int64(r.MadeAt) < freshFor.Milliseconds() && now >= int64(r.MadeAt) {
		return r, nil
	}
	r, err := s.read(ctx, a, now)
	if err != nil {
		return nil, problem.Unavailable(err, "The report can't be made right now.")
	}
	s.made.Set(activity, r)
	return r, nil
}

// begin waits until no other report is made.
func (s *Service) begin(ctx context.Context) error {
	select {
	case s.making <- struct{}{}:
		return nil
	case <-ctx.Done():
		return problem.Errorf(problem.CodeOverloaded, "Another report is being made.").After(freshFor)
	}
}

func (s *Service) read(ctx context.Context, a *seckill.Activity, nowMS int64) (*Report, error) {
	r := &Report{
		ActivityID: a.ID, Title: a.Title, State: a.State,
		StartsAt: api.Millis(a.StartsMS), EndsAt: api.Millis(a.EndsMS),
		Currency: a.SKUs[0].Currency, MadeAt: api.Millis(nowMS),
	}
	// Redis comes first: an order that is moved meanwhile is in both or in SQL, so a report that is settled lacks none.
	s.readRedis(ctx, a, r)
	err := s.DB.InView(ctx, func(tx *sqlx.Tx) (err error) {
		if err := r.walk(ctx, tx, a, s.page); err != nil {
			return err
		}
		bought := r.Totals.PaidOrders + r.Totals.UnpaidOrders
		if r.Rooms, err = readSources(ctx, tx, a.ID, order.CountedRoom, bought); err != nil {
			return err
		}
		r.ShareSources, err = readSources(ctx, tx, a.ID, order.CountedShareSource, bought)
		return err
	})
	over := a.State == seckill.Offline || nowMS >= a.EndsMS
	r.Settled = over && r.Placed != nil && *r.Placed == 0 && r.Totals.UnpaidOrders == 0
	if r.Traffic.State == Kept && r.Traffic.Paths == nil {
		r.Traffic.keptNothing(a.RetiredMS > 0 || r.Totals.Orders > 0)
	}
	return r, err
}

// readSources reads how many orders came from each room or share source, of those that were neither cancelled nor
// failed.
func readSources(ctx context.Context, tx *sqlx.Tx, activity, counted string, bought int64) (Sources, error) {
	s := Sources{Items: []Source{}}
	const most = `SELECT name, n FROM activity_counts WHERE activity_id = ? AND counted = ? AND n > 0
		ORDER BY n DESC, name LIMIT ?`
	if err := tx.SelectContext(ctx, &s.Items, most, activity, counted, maxSources); err != nil {
		return s, fmt.Errorf("select orders of activity %s by %s: %w", activity, counted, err)
	}
	var all int64
	const sum = `SELECT COALESCE(SUM(n), 0) FROM activity_counts WHERE activity_id = ? AND counted = ?`
	if err := tx.GetContext(ctx, &all, sum, activity, counted); err != nil {
		return s, fmt.Errorf("add up orders of activity %s by %s: %w", activity, counted, err)
	}
	s.Without, s.Others = max(bought-all, 0), all
	for _, source := range s.Items {
		s.Others -= source.Orders
	}
	return s, nil
}
