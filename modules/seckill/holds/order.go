package holds

import (
	"context"
	"errors"
	"net/http"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
)

// Ordered is the order that a hold was turned into.
type Ordered struct {
	ID    string       `json:"hold_id"`
	Order order.Number `json:"order_number"`
}

// Order turns a hold into an order of its buyer, whom user names; "" is the one who is named already. The order may
// have fewer units than the hold: the others go back to the stock. The hold's id is the key of the order, so that it
// becomes one order at most: a repeated request finds the order, also once the hold is listed no more, if it names the
// buyer. If the order is refused, the hold stays as it was. Errors: not_found, conflict, and all errors of a submit.
func (s *Service) Order(
	ctx context.Context, activity, id, user string, body *seckill.Submit,
) (Ordered, error) {
	a, e, err := s.row(ctx, activity, id)
	if a != nil && user != "" && problem.CodeOf(err) == problem.CodeNotFound {
		// The Offerer deletes the row of units that were taken, perhaps before the request that took them could.
		number, err := s.Submits.HeldOrder(ctx, a.ID, user, keyOf(id))
		return Ordered{id, number}, unavailable(err)
	}
	if err != nil {
		return Ordered{}, unavailable(err)
	}
	if err := s.checkOrder(a, e, user, body); err != nil {
		return Ordered{}, err
	}
	before, atDesk := loggedOf(e), e.User == waitlist.Desk(e.ID)
	if err = s.there(ctx, a, e); err == nil {
		err = s.lend(ctx, a, e, user)
	}
	// If the buyer's units are taken, it may be by an earlier request, whose order the submit finds.
	if err != nil && (e.User == waitlist.Desk(e.ID) || !errors.Is(err, errTaken)) {
		return Ordered{}, unavailable(err)
	}
	placed, err := s.Submits.SubmitHeld(ctx, seckill.SubmitBy{User: e.User, Key: keyOf(e.ID)},
		seckill.Held{Activity: a.ID, SKU: e.SKU, Point: e.Point}, body)
	if err != nil {
		if problem.CodeOf(err) != problem.CodeUnavailable && atDesk { // else it may be placed: a retry finds it
			s.backToDesk(ctx, a, e)
		}
		return Ordered{}, err
	}
	if err := s.Faults.After("hold_placed"); err != nil {
		return Ordered{}, err
	}
	done := Ordered{ID: e.ID, Order: placed.OrderNumber}
	err = s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		removed, err := waitlist.Delete(ctx, tx, *e)
		if err != nil {
			return err
		}
		if !removed && placed.Replayed { // the request that placed the order records it
			return idempotency.Keep(ctx, tx, http.StatusCreated, done)
		}
		after := loggedOf(e)
		after.Quantity, after.Order = body.Quantity, placed.OrderNumber.String()
		if err := record(ctx, tx, "hold_ordered", a.ID, before, after); err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusCreated, done)
	})
	return done, unavailable(err)
}

// keyOf returns the key of the order of a hold.
func keyOf(id string) string { return "hold " + id }

// lend gives the units of a hold to the user who is to order them; "" is the one who is named already.
func (s *Service) lend(ctx context.Context, a *seckill.Activity, e *waitlist.Entry, user string) error {
	desk := waitlist.Desk(e.ID)
	if e.User == desk {
		if err := s.rename(ctx, e, user, nil); err != nil {
			return err
		}
	}
	if !s.move(ctx, a, e, desk) {
		if err := s.there(ctx, a, e); err != nil {
			return err
		}
		return problem.Unavailable(nil, "Redis doesn't know the buyer yet; try again in a moment.")
	}
	return nil
}

// backToDesk undoes the naming of a buyer whose order was refused.
func (s *Service) backToDesk(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) {
	from := e.User
	if err := s.rename(ctx, e, waitlist.Desk(e.ID), nil); err != nil {
		s.Log.WarnContext(ctx, "units set aside stay with a buyer whose order was refused", "activity_id", a.ID,
			"error", err)
		return
	}
	s.move(ctx, a, e, from)
}

// maxOrder is how many units an order of a sale has at most.
const maxOrder = 9999

// checkOrder checks the order of a hold, and sets its quantity if it has none.
func (s *Service) checkOrder(a *seckill.Activity, e *waitlist.Entry, user string, body *seckill.Submit) error {
	if body.Quantity == 0 {
		body.Quantity = e.Quantity
	}
	switch {
	case user != "" && user != e.User && e.User != waitlist.Desk(e.ID):
		return errNamed
	case user == "" && e.User == waitlist.Desk(e.ID):
		return problem.Invalid("user_id", "is required: no buyer is named")
	case body.Quantity > maxOrder:
		return problem.Invalid("quantity", "an order has at most %d units", maxOrder)
	case body.Quantity > e.Quantity:
		return problem.Invalid("quantity", "is more than is set aside: %d", e.Quantity)
	case a.LimitKey != "":
		return problem.Errorf(problem.CodeConflict,
			"The sale counts by a claim of the buyer's token: name the buyer, who can then buy the units.")
	}
	return nil
}
