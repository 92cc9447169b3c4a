package lua

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// BuyerList identifies a state of the list of the buyers of an activity: the version with which it began when it was
// last emptied, and its last version.
type BuyerList struct {
	Lane           int
	Activity       string
	Start, Version int64
}

func (l BuyerList) start() string { return "\n" + strconv.FormatInt(l.Start, 10) }

func (l BuyerList) complete() string { return l.start() + ":" + strconv.FormatInt(l.Version, 10) }

// Listed reports which users the list in Redis has, and whether the list has all users of its version. A user who is
// not among listed may be on a list that is not complete.
func (s *Scripts) Listed(ctx context.Context, l BuyerList, users []string) (listed []bool, complete bool, err error) {
	members := make([]any, 0, 2+len(users))
	members = append(members, l.start(), l.complete())
	for _, user := range users {
		members = append(members, user)
	}
	found, err := s.Redis.SMIsMember(ctx, s.Keys.Buyers(l.Lane, l.Activity), members...).Result()
	if err == nil && len(found) != len(members) {
		err = fmt.Errorf("%d answers to %d questions", len(found), len(members))
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the list of the buyers of %s: %w", l.Activity, err)
	}
	if !found[0] { // a list of an earlier start: users may have been removed since
		return make([]bool, len(users)), false, nil
	}
	return found[2:], found[1], nil
}

// BeginBuyers empties the list in Redis, to be filled from SQL, unless it has the same start.
func (s *Scripts) BeginBuyers(ctx context.Context, l BuyerList, expiresMS int64) error {
	_, err := s.fillBuyers(ctx, l, "begin", expiresMS)
	return err
}

// AddBuyers adds users to the list in Redis. It returns false if the list in Redis has another start.
func (s *Scripts) AddBuyers(ctx context.Context, l BuyerList, expiresMS int64, users []string) (bool, error) {
	for part := range slices.Chunk(users, maxChunk) {
		args := make([]any, len(part))
		for i, user := range part {
			args[i] = user
		}
		if ok, err := s.fillBuyers(ctx, l, "add", expiresMS, args...); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// CompleteBuyers says that the list in Redis has all users of its version. It returns false if the list in Redis has
// another start.
func (s *Scripts) CompleteBuyers(ctx context.Context, l BuyerList, expiresMS int64) (bool, error) {
	return s.fillBuyers(ctx, l, "done", expiresMS, l.Version)
}

func (s *Scripts) fillBuyers(
	ctx context.Context, l BuyerList, step string, expiresMS int64, more ...any,
) (bool, error) {
	args := append([]any{step, l.Start, expiresMS}, more...)
	ok, err := yes(fillBuyers.Run(ctx, s.Redis, []string{s.Keys.Buyers(l.Lane, l.Activity)}, args...).Int64())
	if err != nil {
		return false, fmt.Errorf("fill the list of the buyers of %s: %w", l.Activity, err)
	}
	return ok, nil
}
