package lua

import (
	"context"
	"fmt"
)

// RenumberCode is the result of renumber_order.lua.
type RenumberCode int

// The results of Renumber. Only Renumbered changes anything.
const (
	Renumbered      RenumberCode = 1
	RenumberGone    RenumberCode = 0   // the entry is no longer in the queue
	RenumberLoading RenumberCode = -7  // the activity is loading; try again
	RenumberTaken   RenumberCode = -10 // the lane knows the new number; choose another
)

// Renumber is an order that waits in a queue and gets another number.
type Renumber struct {
	Lane           int
	Activity, User string
	Task           string // the hash part of the task id
	Number, Entry  string // that it has
	NewNumber      string
	NewEntry       string
	NewRecord      []byte
}

// Renumber gives an order another number.
func (s *Scripts) Renumber(ctx context.Context, r Renumber) (RenumberCode, error) {
	keys := []string{
		s.Keys.Queue(r.Lane), s.Keys.Orders(r.Lane, r.User), s.Keys.Held(r.Lane, r.Activity),
		s.Keys.Tasks(r.Lane, r.Activity), s.Keys.Numbers(r.Lane), s.Keys.Meta(r.Lane, r.Activity),
	}
	n, err := renumberOrder.Run(ctx, s.Redis, keys, r.Entry, r.Number, r.NewEntry, r.NewNumber, r.NewRecord, r.User,
		r.Task).Int64()
	switch code := RenumberCode(n); {
	case err != nil:
		return 0, fmt.Errorf("renumber order %s: %w", r.Number, err)
	case code == Renumbered, code == RenumberGone, code == RenumberLoading, code == RenumberTaken:
		return code, nil
	default:
		return 0, fmt.Errorf("renumber order %s: %w", r.Number, unknownCode(n))
	}
}
