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
	place, err := s.joins.Do(ctx, sale.Activity, request{*sale, user})
	if err != nil {
		return 0, problem.Unavailable(err, "The waiting room can't be reached right now.")
	}
	switch place.Code {
	case lua.LinePosition:
		return place.Position, nil
	case lua.LineEarly:
		return early, nil
	case lua.LineFull:
		return 0, errFull
	}
	return 0, errors.New("join the line: unknown code")
}

// request is a user of whom a call to Redis is made, and the sale as their instance saw it.
type request struct {
	sale Sale
	user string
}

// joinAll lets users join a line in one call of the script. If an operator has changed the sale meanwhile, it is as the
// last user saw it.
func (s *Service) joinAll(activity string, requests []request, places []lua.LinePlace) error {
	ctx, cancel := context.WithTimeout(context.Background(), redisWithin)
	defer cancel()
	users := make([]lua.LineUser, len(requests))
	for i, r := range requests {
		score, _ := s.seal.score(activity, r.user)
		users[i] = lua.LineUser{User: r.user, Score: score}
	}
	sale, now := &requests[len(requests)-1].sale, s.clock.NowMS()
	got, now, err := s.lua.JoinLine(ctx, &lua.LineCall{
		Lane: sale.Lane, Activity: activity, Users: users, StartsMS: sale.StartsMS,
		First:   sale.Room.newcomer(sale.StartsMS, now),
		Expired: sale.Room.Expired(sale.StartsMS, now),
		Most:    s.cfg.Most, KeepMS: sale.EndsMS + keepAfterEnd.Milliseconds(),
	})
	if err != nil {
		return err
	}
	s.clock.Observe(now)
	copy(places, got)
	return nil
}
