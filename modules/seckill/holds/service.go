package holds

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

// Service is what operators do with units that they set aside.
type Service struct{ Deps }

// NewService returns a Service.
func NewService(d Deps) *Service { return &Service{d} }

// View is units set aside as operators see them.
type View struct {
	ID       string     `json:"hold_id"`
	Activity string     `json:"activity_id"`
	SKU      string     `json:"sku_id"`
	Point    string     `json:"point_id"`
	Quantity int64      `json:"quantity"`
	User     string     `json:"user_id,omitempty"`
	Note     string     `json:"note,omitempty"`
	Until    api.Millis `json:"until,omitzero"`
	MadeBy   string     `json:"made_by"`
	MadeAt   api.Millis `json:"made_at"`
}

func show(e *waitlist.Entry) View {
	v := View{
		ID: e.ID, Activity: e.Activity, SKU: e.SKU, Point: e.Point, Quantity: e.Quantity, Note: e.Note,
		MadeBy: e.HeldBy, MadeAt: api.Millis(e.JoinedMS),
	}
	if e.User != waitlist.Desk(e.ID) {
		v.User = e.User
	}
	if until := e.Offer().UntilMS; until < lua.NoEnd {
		v.Until = api.Millis(until)
	}
	return v
}

// List returns a page of the holds of a sale, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, activity string, page api.Page) ([]View, int64, error) {
	if _, err := s.Activities.Get(ctx, activity); err != nil {
		return nil, 0, err
	}
	total, err := count(ctx, s.DB.Read, activity, "")
	if err != nil {
		return nil, 0, unavailable(err)
	}
	found, err := list(ctx, s.DB.Read, activity, page.Size, page.Offset())
	views := make([]View, len(found))
	for i := range found {
		views[i] = show(&found[i])
	}
	return views, total, unavailable(err)
}

// get returns a hold with its sale. The error is not_found if there is none, and a conflict if its units were taken.
func (s *Service) get(ctx context.Context, activity, id string) (*seckill.Activity, *waitlist.Entry, error) {
	a, e, err := s.row(ctx, activity, id)
	if err == nil {
		err = s.there(ctx, a, e)
	}
	return a, e, err
}

// row returns a hold with its sale, whether its units were taken or not.
func (s *Service) row(ctx context.Context, activity, id string) (*seckill.Activity, *waitlist.Entry, error) {
	a, err := s.Activities.Get(ctx, activity)
	if err != nil {
		return nil, nil, err
	}
	e, err := waitlist.HoldByID(ctx, s.DB.Write, activity, id)
	if err == nil && (e == nil || e.Pending()) {
		err = problem.NotFound("hold")
	}
	return a, e, err
}

// there returns errTaken if the units of a hold were taken.
func (s *Service) there(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) error {
	if e.UntilMS <= s.Clock.NowMS() {
		return errTaken
	}
	had, err := s.Lua.Offered(ctx, a.Lane, a.ID, e.SKU, e.User)
	if err == nil && (had == nil || had.Entry != e.ID) {
		err = s.missing(ctx, a, e)
	}
	return err
}

// missing returns why Redis doesn't have a hold under its user, or nil if that says nothing.
func (s *Service) missing(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) error {
	is, err := s.Lua.SupplyOf(ctx, a.Lane, a.ID, e.SKU, e.Point)
	if err != nil || !is.Loaded {
		return err
	}
	had, err := s.Lua.Offered(ctx, a.Lane, a.ID, e.SKU, waitlist.Desk(e.ID))
	if err != nil || had != nil { // the buyer was named, which Redis doesn't know yet
		return err
	}
	return errTaken
}

var errTaken = problem.Errorf(problem.CodeConflict, "The units were taken, or have gone back.")

// Release puts the units of a hold into the stock again. Errors: not_found, conflict, unavailable.
func (s *Service) Release(ctx context.Context, activity, id string) error {
	a, e, err := s.get(ctx, activity, id)
	if err != nil {
		return unavailable(err)
	}
	err = s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		switch removed, err := waitlist.Delete(ctx, tx, *e); {
		case err != nil:
			return err
		case !removed:
			return errTaken
		}
		return record(ctx, tx, "hold_released", a.ID, loggedOf(e), nil)
	})
	if err != nil {
		return unavailable(err)
	}
	if err := s.Faults.After("hold_released"); err != nil {
		return err
	}
	if s.giveBack(ctx, a, e) {
		return errTaken
	}
	return nil
}

// Name names the buyer of units that are set aside for a desk; the same buyer again changes nothing. Errors: not_found,
// conflict, unavailable.
func (s *Service) Name(ctx context.Context, activity, id, user string) (View, error) {
	a, e, err := s.get(ctx, activity, id)
	if err != nil {
		return View{}, unavailable(err)
	}
	if e.User != user {
		if e.User != waitlist.Desk(e.ID) {
			return View{}, errNamed
		}
		named := *e
		named.User = user
		err := s.rename(ctx, e, user, func(tx *sqlx.Tx) error {
			if err := waitlist.Tell(ctx, tx, []waitlist.Entry{named}, s.Clock.NowMS()); err != nil {
				return err
			}
			return record(ctx, tx, "hold_named", e.Activity, loggedOf(e), loggedOf(&named))
		})
		if err != nil {
			return View{}, unavailable(err)
		}
	}
	s.move(ctx, a, e, waitlist.Desk(e.ID))
	return show(e), nil
}

var errNamed = problem.Errorf(problem.CodeConflict, "The units are set aside for another buyer.")

// rename gives a hold to another user, in a transaction with also, which may be nil.
func (s *Service) rename(ctx context.Context, e *waitlist.Entry, user string, also func(tx *sqlx.Tx) error) error {
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		switch there, err := rename(ctx, tx, e, user); {
		case sqldb.IsDuplicate(err):
			return errHasEntry
		case err != nil:
			return err
		case !there:
			return errTaken
		case also != nil:
			return also(tx)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.User = user
	return s.Faults.After("hold_named")
}

// move tells Redis for whom a hold is now, and reports whether Redis knows it; from is the user before. If the call
// fails, the Offerer repeats it.
func (s *Service) move(ctx context.Context, a *seckill.Activity, e *waitlist.Entry, from string) (known bool) {
	had, err := s.Lua.Offered(ctx, a.Lane, a.ID, e.SKU, e.User)
	if err == nil && had != nil && had.Entry == e.ID {
		return true
	}
	if err == nil {
		known, err = waitlist.MoveOffer(ctx, s.Lua, a, from, e)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "redis doesn't know yet for whom units are set aside", "activity_id", a.ID, "error", err)
	}
	return known
}

// giveBack puts the units of a hold that SQL doesn't have any more into the stock again. gone says that Redis had no
// such hold. If the call fails, the Offerer repeats it.
func (s *Service) giveBack(ctx context.Context, a *seckill.Activity, e *waitlist.Entry) (gone bool) {
	done, err := s.Lua.ChangeWaitlist(ctx, &lua.WaitlistChange{
		Lane: a.Lane, Activity: a.ID, Epoch: a.Epoch(),
		Ends: []lua.EndOffer{{SKU: e.SKU, User: e.User, Entry: e.ID, Now: true}},
	})
	if err != nil {
		s.Log.WarnContext(ctx, "units set aside are not given back yet", "activity_id", a.ID, "error", err)
	}
	return err == nil && done.Loaded && done.Ended[0] == lua.OfferNone
}

func unavailable(err error) error {
	return problem.OrUnavailable(err, "The units set aside can't be reached right now.")
}
