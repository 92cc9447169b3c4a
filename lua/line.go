package lua

import (
	"context"
	"fmt"
)

// LineCode is the result of join_line.lua and of rank_line.lua.
type LineCode int

// The results of JoinLine and LineRank.
const (
	LinePosition LineCode = 1
	LineEarly    LineCode = 0  // the sale has not started
	LineFull     LineCode = -1 // the maximum number of users is in the line
	LineNone     LineCode = -1 // of LineRank: the user has no such place
)

// LineCall is a call of JoinLine: one user who joins the waiting room of an activity.
type LineCall struct {
	Lane     int
	Activity string
	User     string
	Score    int64 // orders the places taken before the start; below 2⁵³
	StartsMS int64 // start of the sale, used unless Redis knows a newer one
	First    int64 // lowest position that a newcomer may get after the start
	Expired  int64 // places that have expired: all with a lower position
	Most     int64 // users who may join before the start, and as many again after it
	KeepMS   int64 // until when Redis keeps the line
}

// JoinLine gives a user a place in the waiting room, or returns the place that they have. position is set only with
// LinePosition; nowMS is Redis TIME in ms.
func (s *Scripts) JoinLine(ctx context.Context, c LineCall) (code LineCode, position, nowMS int64, err error) {
	keys := []string{
		s.Keys.LineEarly(c.Lane, c.Activity), s.Keys.LineLate(c.Lane, c.Activity), s.Keys.Meta(c.Lane, c.Activity),
	}
	reply, err := joinLine.Run(ctx, s.Redis, keys,
		c.User, c.Score, c.StartsMS, c.First, c.Expired, c.Most, c.KeepMS).Int64Slice()
	if err == nil && len(reply) != 3 {
		err = fmt.Errorf("script returned %d values", len(reply))
	}
	if err != nil {
		return 0, 0, 0, fmt.Errorf("join the line of activity %s: %w", c.Activity, err)
	}
	switch code = LineCode(reply[0]); code {
	case LinePosition, LineEarly, LineFull:
		return code, reply[1], reply[2], nil
	default:
		return 0, 0, 0, fmt.Errorf("join the line of activity %s: %w", c.Activity, unknownCode(reply[0]))
	}
}

// PositionInLine returns the position of a place that was taken before the start. The code is LineEarly if the sale has
// not started: until then the position changes. startsMS is the start, unless Redis knows a newer one.
func (s *Scripts) PositionInLine(
	ctx context.Context, lane int, activity, user string, startsMS int64,
) (code LineCode, position int64, err error) {
	keys := []string{s.Keys.LineEarly(lane, activity), s.Keys.Meta(lane, activity)}
	reply, err := rankLine.Run(ctx, s.Redis, keys, user, startsMS).Int64Slice()
	if err == nil && len(reply) != 2 {
		err = fmt.Errorf("script returned %d values", len(reply))
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read a place in the line of activity %s: %w", activity, err)
	}
	switch code = LineCode(reply[0]); code {
	case LinePosition, LineEarly, LineNone:
		return code, reply[1], nil
	default:
		return 0, 0, fmt.Errorf("read a place in the line of activity %s: %w", activity, unknownCode(reply[0]))
	}
}
