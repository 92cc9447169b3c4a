package line

import (
	"context"
	"errors"
	"time"

	"onrush/lua"
	"onrush/modules/problem"
)

const (
	// askAgain is how long after a failure no position is read from Redis, since thousands of event streams
	// would try at the same time.
	askAgain = 300 * time.Millisecond
	// maxPositions bounds the positions of early places that an instance remembers, about 200 bytes each.
	maxPositions = 40_000
	// lost is the position of an early place that Redis doesn't have.
	lost = -2
)

// startedPosition returns the position of an early place after the start; early if Redis knows a later start.
func (s *Service) startedPosition(ctx context.Context, sale *Sale, user, sealed string) (position int64, err error) {
	position, known := s.positions.Get(sealed)
	if !known {
		if position, err = s.askPosition(ctx, sale, user); err != nil {
			return 0, problem.Unavailable(err, "The waiting room can't be reached right now.")
		}
		if position != early {
			s.positions.Set(sealed, position)
		}
	}
	if position == lost {
		return 0, errLost
	}
	return position, nil
}

var errAskedBefore = errors.New("redis was unavailable a moment ago")

func (s *Service) askPosition(ctx context.Context, sale *Sale, user string) (position int64, err error) {
	if at := s.failed.Load(); at != nil && s.clock.Local().Sub(*at).Abs() < askAgain {
		return 0, errAskedBefore
	}
	ctx, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	place, err := s.ranks.Do(ctx, sale.Activity, request{*sale, user})
	if err != nil {
		now := s.clock.Local()
		s.failed.Store(&now)
		return 0, err
	}
	switch place.Code {
	case lua.LineEarly:
		return early, nil
	case lua.LinePosition:
		return place.Position, nil
	default:
		return lost, nil
	}
}

// rankAll reads the positions of early places in one call of the script.
func (s *Service) rankAll(activity string, requests []request, places []lua.LinePlace) error {
	ctx, cancel := context.WithTimeout(context.Background(), redisWithin)
	defer cancel()
	users := make([]string, len(requests))
	for i, r := range requests {
		users[i] = r.user
	}
	sale := &requests[len(requests)-1].sale
	got, err := s.lua.LinePositions(ctx, sale.Lane, activity, users, sale.StartsMS)
	copy(places, got)
	return err
}
