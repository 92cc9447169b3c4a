package seckill

import (
	"context"
	"errors"
	"math"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/tasks"
)

// Held is units that an operator has set aside for a user.
type Held struct{ Activity, SKU, Point string }

// SubmitHeld places an order of a user for units that an operator has set aside for this user, without a path: no gate
// and no rate limit stands before it, the purchase limits do. The order must be served from the point of the units, and
// takes no others: if they are not kept for the user any more, the error is a conflict. Otherwise it is Submit, also
// for a retry with the same key.
func (s *Service) SubmitHeld(ctx context.Context, by SubmitBy, of Held, body *Submit) (*Submitted, error) {
	return s.submit(ctx, by, path{
		activity: of.Activity, sku: of.SKU, point: of.Point, expiresMS: math.MaxInt64,
	}, body)
}

// HeldOrder returns the order that SubmitHeld placed for a user with a key. It looks at all skus of the sale, since the
// caller doesn't know any more which one it was. If there is none, the error is not_found.
func (s *Service) HeldOrder(ctx context.Context, activity, user, key string) (order.Number, error) {
	a, err := s.cache.Get(ctx, activity)
	if err != nil {
		return 0, err
	}
	for i := range a.SKUs {
		state, err := s.tasks.Wait(ctx, newTaskID(a.Lane, a.ID, user, a.SKUs[i].SKU, key), tasks.State{})
		switch {
		case errors.Is(err, tasks.ErrUnknown):
		case err != nil:
			return 0, err
		case state.State != lua.TaskFailed:
			return state.Number, nil
		}
	}
	return 0, problem.NotFound("hold")
}

// held reports whether the path was made by SubmitHeld.
func (p *path) held() bool { return p.point != "" }

// errNotHeld refuses an order of units that are not set aside for its buyer any more.
var errNotHeld = problem.Errorf(problem.CodeConflict, "The units were taken, or have gone back.")
