package holds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/idempotency"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

// MaxHolds bounds the holds of a sale; requests at the same moment may make a few more.
const MaxHolds = 500

// Wanted is units that an operator sets aside.
type Wanted struct {
	SKU, Point string
	Quantity   int64
	User       string // who may take them; "": nobody, until a buyer is named
	Note       string
	UntilMS    int64 // when they go back; 0: at the end of the sale
}

// Make sets units of a published sale aside. A buyer who is named is told, and may take them by a submit. Errors:
// not_found, invalid_request, conflict, which says how many units are left, unavailable.
func (s *Service) Make(ctx context.Context, operator, activity string, want Wanted) (View, error) {
	a, err := s.Activities.Get(ctx, activity)
	if err == nil {
		err = s.check(a, &want)
	}
	if err == nil {
		a, err = s.Activities.Need(ctx, activity, needs.Holds)
	}
	if err != nil {
		return View{}, err
	}
	choice, err := json.Marshal(seckill.Choice{Quantity: want.Quantity})
	if err != nil {
		return View{}, fmt.Errorf("write the choice of a hold: %w", err)
	}
	id := cmp.Or(idempotency.ID(ctx), s.NewID())
	e := &waitlist.Entry{
		Activity: activity, SKU: want.SKU, User: cmp.Or(want.User, waitlist.Desk(id)), ID: id, Point: want.Point,
		Quantity: want.Quantity, Choice: string(choice), JoinedMS: s.Clock.NowMS(),
		UntilMS: -cmp.Or(want.UntilMS, lua.NoEnd), HeldBy: operator, Note: want.Note,
	}
	if err := s.begin(ctx, e); err != nil {
		return View{}, unavailable(err)
	}
	if err := s.take(ctx, a, e); err != nil {
		return View{}, unavailable(err)
	}
	v, err := s.finish(ctx, a, e)
	return v, unavailable(err)
}

// check checks the wanted units against the sale.
func (s *Service) check(a *seckill.Activity, want *Wanted) error {
	var checks problem.Checks
	var total int64
	if a.Draws() {
		return problem.Errorf(problem.CodeConflict, "The units of a draw are for those who are drawn.")
	}
	sold := false
	for i := range a.SKUs {
		if a.SKUs[i].SKU != want.SKU {
			continue
		}
		sold = true
		checks.That(!a.SKUs[i].Bundle(), "sku_id", "is a bundle; set units of its parts aside")
		for _, p := range a.SKUs[i].Stock {
			if p.Point == want.Point {
				total = p.Total
			}
		}
	}
	checks.That(sold, "sku_id", "is not sold here")
	checks.That(!sold || total > 0, "point_id", "has no units of the sku in this sale")
	checks.That(want.UntilMS == 0 || want.UntilMS > s.Clock.NowMS(), "until", "must be in the future")
	checks.That(want.UntilMS < lua.NoEnd, "until", "is too far in the future")
	return checks.Err()
}

// begin writes a pending hold. A request that is repeated after a crash finds it.
func (s *Service) begin(ctx context.Context, e *waitlist.Entry) error {
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		switch n, err := count(ctx, tx, e.Activity, e.ID); {
		case err != nil:
			return err
		case n >= MaxHolds:
			return problem.Errorf(problem.CodeConflict, "The sale has %d holds; release some first.", MaxHolds)
		}
		return waitlist.Insert(ctx, tx, *e)
	})
	if sqldb.IsDuplicate(err) {
		switch had, failed := waitlist.OfUser(ctx, s.DB.Write, e.Activity, e.SKU, e.User); {
		case failed != nil:
			return failed
		case had != nil && had.ID == e.ID:
			err = nil
		default:
			err = errHasEntry
		}
	}
	if err != nil {
		return err
	}
	return s.Faults.After("hold_begin")
}

var errHasEntry = problem.Errorf(problem.CodeConflict,
	"The buyer waits for units of this sku already, or has some set aside.")

// take takes the units out of the stock. If that is refused, the pending hold is gone.
func (s *Service) take(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) error {
	done, err := s.Lua.ChangeWaitlist(ctx, &lua.WaitlistChange{
		Lane: a.Lane, Activity: a.ID, Epoch: a.Epoch(), Offers: []lua.Offer{e.Offer()},
	})
	if err != nil {
		return err // whether Redis has them is not known: the Offerer gives them back
	}
	if done.Loaded && done.UntilMS[0] > 0 {
		return s.Faults.After("hold_taken")
	}
	if err := s.undo(ctx, a, e); err != nil {
		return err
	}
	is, err := s.Lua.SupplyOf(ctx, a.Lane, a.ID, e.SKU, e.Point)
	switch {
	case err != nil:
		return err
	case !done.Loaded:
		return errLoading
	}
	left := is.Left
	for i := range a.SKUs {
		if a.SKUs[i].SKU == e.SKU {
			left = a.SKUs[i].Waves.Open(e.Point, is.Left, s.Clock.NowMS())
		}
	}
	return problem.Errorf(problem.CodeConflict, "%d are left at this stock point.", max(left, 0))
}

var errLoading = problem.Unavailable(nil, "The sale is being loaded; try again in a moment.")

// finish completes a hold whose units Redis has taken out of the stock, unless the sale was loaded again, which has put
// them back.
func (s *Service) finish(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) (View, error) {
	held := *e
	held.UntilMS = e.Offer().UntilMS
	completed := false
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		completed = false
		same, err := order.FenceAt(ctx, tx, a.ID, a.Epoch())
		if err != nil || !same {
			return err
		}
		if completed, err = complete(ctx, tx, e); err != nil || !completed {
			return err
		}
		if held.User != waitlist.Desk(held.ID) {
			if err := waitlist.Tell(ctx, tx, []waitlist.Entry{held}, s.Clock.NowMS()); err != nil {
				return err
			}
		}
		if err := record(ctx, tx, "units_held", a.ID, nil, loggedOf(&held)); err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusCreated, show(&held))
	})
	if err != nil {
		return View{}, err
	}
	if err := s.Faults.After("hold_made"); err != nil {
		return View{}, err
	}
	if !completed {
		if err := s.undo(ctx, a, e); err != nil {
			return View{}, err
		}
		return View{}, errLoading
	}
	return show(&held), nil
}

// undo removes a pending hold, and gives back what Redis may have of it.
func (s *Service) undo(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) error {
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := waitlist.Delete(ctx, tx, *e)
		return err
	})
	if err != nil {
		return err
	}
	s.giveBack(ctx, a, e)
	return nil
}
