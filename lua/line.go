package lua

import (
	"context"
	"errors"
	"fmt"
)

// LineCode is the result of join_line.lua and of rank_line.lua.
type LineCode int

// The codes of a LinePlace.
const (
	LinePosition LineCode = 1
	LineEarly    LineCode = 0  // the sale has not started
	LineFull     LineCode = -1 // of JoinLine: no more users fit, into the line or into Redis
	LineNone     LineCode = -1 // of LinePositions: the user has no such place
)

// MaxLineUsers bounds the users of one call of JoinLine, which other callers of Redis wait for.
const MaxLineUsers = 256

// LineCall is a call of JoinLine: users who join the waiting room of an activity.
type LineCall struct {
	Lane     int
	Activity string
	Users    []LineUser // 1 to MaxLineUsers
	StartsMS int64      // start of the sale, used unless Redis knows a newer one
	First    int64      // lowest position that a newcomer may get after the start
	Expired  int64      // places that have expired: all with a lower position
	Most     int64      // users who may join before the start, and as many again after it
	KeepMS   int64      // until when Redis keeps the line
}

// LineUser is a user who joins.
type LineUser struct {
	User  string
	Score int64 // orders the places taken before the start; below 2⁵³
}

// LinePlace is a place in the waiting room. Position is set only with LinePosition.
type LinePlace struct {
	Code     LineCode
	Position int64
}

// JoinLine gives each user a place in the waiting room, or returns the place that they have. nowMS is Redis TIME in ms.
func (s *Scripts) JoinLine(ctx context.Context, c *LineCall) (places []LinePlace, nowMS int64, err error) {
	keys := []string{
		s.Keys.LineEarly(c.Lane, c.Activity), s.Keys.LineLate(c.Lane, c.Activity), s.Keys.Meta(c.Lane, c.Activity),
	}
	args := make([]any, 0, 5+2*len(c.Users))
	args = append(args, c.StartsMS, c.First, c.Expired, c.Most, c.KeepMS)
	for i := range c.Users {
		args = append(args, c.Users[i].User)
	}
	for i := range c.Users {
		args = append(args, c.Users[i].Score)
	}
	reply, err := joinLine.Run(ctx, s.Redis, keys, args...).Int64Slice()
	if err == nil && len(reply) == 0 {
		err = errors.New("script returned nothing")
	}
	if err == nil {
		places, err = linePlaces(reply[1:], len(c.Users))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("join the line of activity %s: %w", c.Activity, err)
	}
	return places, reply[0], nil
}

// LinePositions returns the places of users which were taken before the start: LineEarly if the sale has not started,
// since until then positions change, LineNone without one. startsMS is the start, unless Redis knows a newer one.
func (s *Scripts) LinePositions(
	ctx context.Context, lane int, activity string, users []string, startsMS int64,
) ([]LinePlace, error) {
	keys := []string{s.Keys.LineEarly(lane, activity), s.Keys.Meta(lane, activity)}
	args := make([]any, 0, 1+len(users))
	args = append(args, startsMS)
	for _, user := range users {
		args = append(args, user)
	}
	reply, err := rankLine.Run(ctx, s.Redis, keys, args...).Int64Slice()
	if err == nil {
		var places []LinePlace
		if places, err = linePlaces(reply, len(users)); err == nil {
			return places, nil
		}
	}
	return nil, fmt.Errorf("read places in the line of activity %s: %w", activity, err)
}

// linePlaces reads a code and a position for each of n users.
func linePlaces(reply []int64, n int) ([]LinePlace, error) {
	if len(reply) != 2*n {
		return nil, fmt.Errorf("script returned %d values for %d users", len(reply), n)
	}
	places := make([]LinePlace, n)
	for i := range places {
		code := LineCode(reply[2*i])
		if code != LinePosition && code != LineEarly && code != LineFull {
			return nil, unknownCode(reply[2*i])
		}
		places[i] = LinePlace{Code: code, Position: reply[2*i+1]}
	}
	return places, nil
}
