package line

import (
	"context"
	"errors"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/segments"
)

// Join gives a user a place in the line of an activity, or returns the place that they have, unless it has expired.
// Without a waiting room everybody is admitted, without a place. The user is in the segments in; a user who may not buy
// is refused.
func (s *Service) Join(ctx context.Context, user string, in segments.Set, activity string) (*Answer, error) {
	sale, err := s.sales.Sale(ctx, activity)
	if err != nil {
		return nil, err
	}
	if err := admit.ToSegments(sale.Segments, in); err != nil {
		return nil, err
	}
	chances, err := s.sales.Chances(ctx, activity)
	if err != nil {
		return nil, err
	}
	if !sale.Room.On() {
		return &Answer{Status: Admitted}, nil
	}
	position, err := s.join(ctx, &sale, user)
	if err != nil {
		return nil, err
	}
	return s.answer(&sale, user, place{activity: activity, position: position}, chances)
}

// join returns the position of the user, or early.
func (s *Service) join(ctx context.Context, sale *Sale, user string) (position int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	score, _ := s.seal.score(sale.Activity, user)
	now := s.clock.NowMS()
	code, position, now, err := s.lua.JoinLine(ctx, lua.LineCall{
		Lane: sale.Lane, Activity: sale.Activity, User: user, Score: score, StartsMS: sale.StartsMS,
		First:   sale.Room.newcomer(sale.StartsMS, now),
		Expired: sale.Room.Expired(sale.StartsMS, now),
		Most:    s.cfg.Most, KeepMS: sale.EndsMS + keepAfterEnd.Milliseconds(),
	})
	switch {
	case lua.IsFull(err):
		return 0, errFull
	case err != nil:
		return 0, problem.Unavailable(err, "The waiting room can't be reached right now.")
	}
	s.clock.Observe(now)
	switch code {
	case lua.LinePosition:
		return position, nil
	case lua.LineEarly:
		return early, nil
	case lua.LineFull:
		return 0, errFull
	}
	return 0, errors.New("join the line: unknown code")
}
