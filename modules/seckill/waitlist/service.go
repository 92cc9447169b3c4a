package waitlist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// MaxEntries bounds the entries of a buyer, of all sales.
const MaxEntries = 20

// Service is what buyers do with waiting lists.
type Service struct {
	Deps
	places placeCache
}

// NewService returns a Service.
func NewService(d Deps) *Service { return &Service{d, newPlaceCache(d.DB, d.Clock.Local)} }

// State is the state of an entry.
type State string

// The states of an entry.
const (
	Waits   State = "waiting"
	Offered State = "offered"
)

// View is an entry as its buyer sees it.
type View struct {
	seckill.WishView

	State    State      `json:"state"`
	Place    int64      `json:"place,omitempty"` // from 1, among those who wait for the same units
	JoinedAt api.Millis `json:"joined_at"`
	Until    api.Millis `json:"offered_until,omitzero"`
}

// Join puts a buyer at the end of the list of a sku that is sold out. Who is in it keeps their entry and place.
// Errors: as of seckill.Service.Wish, no_waitlist, not_sold_out, waitlist_full.
func (s *Service) Join(
	ctx context.Context, by seckill.Wisher, activity, sku string, c seckill.Choice,
) (View, error) {
	w, err := s.Wishes.Wish(ctx, by, activity, sku, c)
	if err != nil {
		return View{}, err
	}
	if w.Activity.OfferWithinS == 0 || w.Activity.Draws() {
		return View{}, problem.Errorf(CodeNoWaitlist, "This sale has no waiting list.")
	}
	had, err := OfUser(ctx, s.DB.Read, activity, sku, by.User)
	if err != nil {
		return View{}, unavailable(err)
	}
	if had != nil {
		return s.view(ctx, had)
	}
	if err := s.mayWait(ctx, w); err != nil {
		return View{}, err
	}
	choice, err := json.Marshal(c)
	if err != nil {
		return View{}, fmt.Errorf("write the choice of an entry: %w", err)
	}
	e := &Entry{
		Activity: activity, SKU: sku, User: by.User, ID: s.NewID(), Point: w.Point, Quantity: c.Quantity,
		Choice: string(choice), JoinedMS: s.Clock.NowMS(),
	}
	err = s.insert(ctx, e)
	if sqldb.IsDuplicate(err) { // the buyer joined twice at once
		if had, err = OfUser(ctx, s.DB.Write, activity, sku, by.User); err == nil && had != nil {
			e = had
		}
	}
	if err != nil {
		return View{}, unavailable(err)
	}
	if err := s.Faults.After("waitlist_joined"); err != nil {
		return View{}, err
	}
	// Without this mark, which the Offerer makes too, others could take the next units before its next run.
	_, err = s.Lua.ChangeWaitlist(ctx, &lua.WaitlistChange{
		Lane: w.Activity.Lane, Activity: activity, Epoch: w.Activity.Epoch(),
		Waits: []lua.Wait{{SKU: sku, Point: e.Point, Entry: e.ID}},
	})
	if err != nil {
		s.Log.WarnContext(ctx, "a waiting buyer is not marked in redis yet", "activity_id", activity, "error", err)
	}
	return s.view(ctx, e)
}

// mayWait returns why nobody can wait for units now, or nil.
func (s *Service) mayWait(ctx context.Context, w *seckill.Wish) error {
	is, err := s.Lua.SupplyOf(ctx, w.Activity.Lane, w.Activity.ID, w.SKU.SKU, w.Point)
	if err != nil || !is.Loaded {
		return problem.Unavailable(err, "The sale can't be reached right now.")
	}
	if left := w.SKU.Waves.Open(w.Point, is.Left, s.Clock.NowMS()); left > 0 && !is.Waits {
		return problem.Errorf(CodeNotSoldOut, "%d are left; buy now.", left)
	}
	ahead, err := s.places.waiting(ctx, w.Activity.ID, w.SKU.SKU, w.Point)
	if err != nil {
		return err
	}
	if len(ahead.of) >= MaxWaiting {
		return problem.Errorf(CodeWaitlistFull, "Too many wait for it already.")
	}
	return nil
}

// insert inserts an entry, unless the buyer has as many as a buyer may have. Of many that are inserted at once, too
// many may be refused.
func (s *Service) insert(ctx context.Context, e *Entry) error {
	if err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := mayHave(ctx, tx, e.User, MaxEntries-1); err != nil {
			return err
		}
		return Insert(ctx, tx, *e)
	}); err != nil {
		return err
	}
	err := mayHave(ctx, s.DB.Write, e.User, MaxEntries) // it counts those that were inserted at once, too
	if err != nil {
		err = errors.Join(err, remove(ctx, s.DB, []Entry{*e}))
	}
	return err
}

// mayHave refuses a user who has more than most entries.
func mayHave(ctx context.Context, q sqlx.QueryerContext, user string, most int) error {
	var n int
	if err := sqlx.GetContext(ctx, q, &n, `SELECT COUNT(*)`+ofLists+` AND held_by = ''`, user); err != nil {
		return fmt.Errorf("count the entries of a user in waiting lists: %w", err)
	}
	if n > most {
		return problem.Errorf(CodeWaitlistFull, "You wait for %d things already.", MaxEntries)
	}
	return nil
}

// Mine returns the entries of a buyer, of one activity or, with "", of all.
func (s *Service) Mine(ctx context.Context, user, activity string) ([]View, error) {
	entries, err := allOf(ctx, s.DB.Read, user)
	if err != nil {
		return nil, unavailable(err)
	}
	now := s.Clock.NowMS()
	views := make([]View, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if activity != "" && e.Activity != activity || e.UntilMS != 0 && e.Offer().UntilMS <= now {
			continue
		}
		v, err := s.view(ctx, e)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// Leave removes an entry of a buyer. Units that are offered to them go to the next.
func (s *Service) Leave(ctx context.Context, user, id string) error {
	entries, err := allOf(ctx, s.DB.Read, user)
	if err != nil {
		return unavailable(err)
	}
	for i := range entries {
		if e := entries[i]; e.ID == id {
			return unavailable(s.leave(ctx, e))
		}
	}
	return problem.NotFound("entry in a waiting list")
}

func (s *Service) leave(ctx context.Context, e Entry) error {
	if err := remove(ctx, s.DB, []Entry{e}); err != nil {
		return err
	}
	if err := s.Faults.After("waitlist_left"); err != nil {
		return err
	}
	if e.UntilMS == 0 {
		return nil // the Offerer ends an offer that it makes at this moment
	}
	a, err := seckill.ViewActivity(ctx, s.DB, e.Activity)
	if err != nil || a == nil {
		return err
	}
	_, err = s.Lua.ChangeWaitlist(ctx, &lua.WaitlistChange{
		Lane: a.Lane, Activity: a.ID, Epoch: a.Epoch(),
		Ends: []lua.EndOffer{{SKU: e.SKU, User: e.User, Entry: e.ID, Now: true}},
	})
	if err != nil { // the Offerer ends it
		s.Log.WarnContext(ctx, "an offer is not ended yet", "activity_id", a.ID, "error", err)
	}
	return nil
}

func (s *Service) view(ctx context.Context, e *Entry) (View, error) {
	v, err := plainView(e)
	if err != nil || v.State == Offered {
		return v, err
	}
	ahead, err := s.places.waiting(ctx, e.Activity, e.SKU, e.Point)
	if err != nil {
		return View{}, err
	}
	v.Place, err = ahead.find(ctx, s.DB.Read, e)
	return v, unavailable(err)
}

// plainView returns the view of an entry without its place.
func plainView(e *Entry) (View, error) {
	v := View{
		WishView: seckill.WishView{
			EntryID: e.ID, ActivityID: e.Activity, SKU: e.SKU, Point: e.Point, Quantity: e.Quantity,
		},
		State: Waits, JoinedAt: api.Millis(e.JoinedMS), Until: e.until(),
	}
	if e.UntilMS != 0 {
		v.State = Offered
	}
	err := v.SetChoice(e.Choice)
	return v, err
}

// Of returns the entries of a user, without their places, for an export.
func Of(ctx context.Context, q sqlx.QueryerContext, user string) ([]View, error) {
	entries, err := allOf(ctx, q, user)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(entries))
	for i := range entries {
		if views[i], err = plainView(&entries[i]); err != nil {
			return nil, err
		}
	}
	return views, nil
}

func unavailable(err error) error {
	return problem.OrUnavailable(err, "The waiting list can't be reached right now.")
}
