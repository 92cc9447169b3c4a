package remind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

const (
	// MaxReminders bounds the reminders of a buyer.
	MaxReminders = 20
	// MaxOfSale bounds the reminders of a sale. The count may be countedFor old, so a crowd may exceed the bound
	// meanwhile, or while SQL is too slow to count.
	MaxOfSale = 1_000_000
	// countedFor is how old the count of the reminders of a sale may be, and the pause after a count that failed.
	countedFor = time.Minute
	// countWithin bounds a count.
	countWithin = 30 * time.Second
	// countWait is how long a buyer waits for a count.
	countWait = 300 * time.Millisecond
)

// Kind is what a reminder is of.
type Kind string

// The kinds of reminders.
const (
	Start Kind = "start"
	Units Kind = "units"
)

// Request is what a buyer asks to be told.
type Request struct {
	Activity string `json:"activity_id" validate:"required,id"`
	SKU      string `json:"sku_id" validate:"omitempty,id"` // only with kind units; "": any sku of the sale will do
	Kind     Kind   `json:"kind" validate:"required,oneof=start units"`
	Token    string `json:"notify_token" validate:"omitempty,max=128,visible"`
}

// State is the state of a reminder.
type State string

// The states of a reminder.
const (
	Waits State = "waiting"
	Told  State = "told"
)

// View is a reminder as its buyer sees it.
type View struct {
	ID        string     `json:"reminder_id"`
	Activity  string     `json:"activity_id"`
	SKU       string     `json:"sku_id,omitempty"`
	Kind      Kind       `json:"kind"`
	State     State      `json:"state"`
	CreatedAt api.Millis `json:"created_at"`
}

func (r *reminder) view() View {
	v := View{
		ID: r.ID, Activity: r.Activity, SKU: r.SKU, Kind: r.Kind, State: Waits, CreatedAt: api.Millis(r.CreatedMS),
	}
	if r.ToldMS > 0 {
		v.State = Told
	}
	return v
}

// Counted is how many reminders a sale has, by kind, whether they were told or not.
type Counted struct {
	Start int `db:"start_reminders" json:"start"`
	Units int `db:"units_reminders" json:"units"`
}

// Service is what buyers do with reminders.
type Service struct {
	Deps
	sizes   *aged.Cache[Counted] // of the reminders of sales
	counted func(ctx context.Context, activity string) (Counted, error)
}

// maxCounts bounds the sales whose reminders are counted.
const maxCounts = 4000

// NewService returns a Service.
func NewService(d Deps) *Service {
	counts := aged.NewCache[Counted](aged.Config{
		What: "number of reminders", Now: d.Clock.Local, Within: countWithin, Pause: countedFor, StaleFor: time.Hour,
	}, maxCounts)
	return &Service{d, counts, func(ctx context.Context, activity string) (Counted, error) {
		return counted(ctx, d.DB.Read, activity)
	}}
}

// Remind makes a reminder of a sale that has not started (Start) or of goods that are sold out (Units). A buyer who has
// this reminder keeps it, with the request's token if it has one. Errors: as of the sale's gates, ended, offline,
// already_started, not_started, not_drawn, not_sold_out, too_many_reminders.
//
// Who may buy is not asked: a reminder sells nothing, and lists of buyers may be filled until the start.
func (s *Service) Remind(ctx context.Context, by seckill.Wisher, r Request) (View, error) {
	if r.Kind == Start && r.SKU != "" {
		return View{}, problem.Invalid("sku_id", "must be absent: all goods of a sale start at once")
	}
	a, err := s.Activities.Get(ctx, r.Activity)
	if err != nil {
		return View{}, err
	}
	if err := s.Limits.Request(ctx, a.Limits, a.ID, by.User, by.Address); err != nil {
		return View{}, err
	}
	if err := admit.ToSegments(a.Segments, by.Segments); err != nil {
		return View{}, err
	}
	for range tries {
		made, err := s.try(ctx, a, by.User, &r)
		if errors.Is(err, errChanged) {
			continue
		}
		if err != nil {
			return View{}, unavailable(err)
		}
		return made.view(), s.Faults.After("reminder_written")
	}
	return View{}, unavailable(errChanged)
}

// tries is how often a request begins again, since the reminder that it is about was told, made or deleted meanwhile.
const tries = 5

// try makes the reminder of a request, or changes the one that is there: its token, and if it was told of units, it
// waits again. The error is errChanged if the reminder changed after the rules were checked.
func (s *Service) try(ctx context.Context, a *seckill.Activity, user string, r *Request) (*reminder, error) {
	mine, err := ofUser(ctx, s.DB.Read, user)
	if err != nil {
		return nil, err
	}
	had := find(mine, r)
	if had == nil || !had.stands() {
		if err := s.mayRemind(ctx, a, r, had); err != nil {
			return nil, err
		}
	} else if r.Token == "" || r.Token == had.Token {
		return had, nil
	}
	if err := s.Faults.After("reminder_allowed"); err != nil {
		return nil, err
	}
	if had == nil {
		made := &reminder{
			ID: s.NewID(), Activity: r.Activity, Kind: r.Kind, SKU: r.SKU, User: user, Token: r.Token,
			CreatedMS: s.Clock.NowMS(),
		}
		return made, s.insert(ctx, made, len(mine))
	}
	now := *had
	now.Token = cmp.Or(r.Token, had.Token)
	if !had.stands() {
		now.CreatedMS, now.ToldMS = s.Clock.NowMS(), 0
	}
	return &now, s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return change(ctx, tx, had, &now) })
}

// insert inserts a reminder of a buyer who has `had` already, unless that is as many as a buyer may have. If several
// are inserted at once, more may be refused than necessary.
func (s *Service) insert(ctx context.Context, r *reminder, had int) error {
	full := problem.Errorf(CodeTooManyReminders, "You have %d reminders already.", MaxReminders)
	if had >= MaxReminders {
		return full
	}
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return insert(ctx, tx, r) })
	if sqldb.IsDuplicate(err) { // the buyer asked twice at once
		return errChanged
	}
	if err != nil {
		return err
	}
	mine, err := ofUser(ctx, s.DB.Write, r.User) // those that were inserted at once, too
	if err != nil || len(mine) <= MaxReminders {
		return err
	}
	_, err = s.remove(ctx, r.User, r.ID)
	return errors.Join(full, err)
}

// find returns the reminder of a list that a request names, or nil.
func find(of []reminder, r *Request) *reminder {
	i := slices.IndexFunc(of, func(m reminder) bool {
		return m.Activity == r.Activity && m.Kind == r.Kind && m.SKU == r.SKU
	})
	if i < 0 {
		return nil
	}
	return &of[i]
}

// stands reports whether a repeated request leaves the reminder as it is. A reminder of units that was told begins
// anew.
func (r *reminder) stands() bool { return r.Kind == Start || r.ToldMS == 0 }

// mayRemind returns why a reminder can't be made now, or nil. had is one that was told, or nil.
func (s *Service) mayRemind(ctx context.Context, a *seckill.Activity, r *Request, had *reminder) error {
	now := s.Clock.NowMS()
	switch {
	case a.State == seckill.Offline:
		return problem.Errorf(seckill.CodeOffline, "The sale was taken offline.")
	case now >= a.EndsMS:
		return problem.Errorf(seckill.CodeEnded, "The sale has ended.")
	case r.Kind == Start && now >= a.StartsMS:
		return problem.Errorf(CodeAlreadyStarted, "The sale has started.")
	case r.Kind == Units && now < a.StartsMS:
		e := problem.Errorf(seckill.CodeNotStarted, "The sale starts at %s.", api.FormatMS(a.StartsMS))
		e.StartsMS, e.NowMS = a.StartsMS, now
		return e
	case r.Kind == Units && a.Draws():
		return problem.Errorf(seckill.CodeNotDrawn, "Units that return are offered to buyers who were drawn.")
	}
	if r.Kind == Units {
		if err := s.requireSoldOut(ctx, a, r.SKU, now); err != nil {
			return err
		}
	}
	if had != nil {
		return nil
	}
	if s.full(ctx, a.ID) {
		return problem.Errorf(CodeTooManyReminders, "Too many want to be reminded of this sale already.")
	}
	return nil
}

// full reports whether a sale has as many reminders as it may have. If the count isn't known in time, it
// reports false.
func (s *Service) full(ctx context.Context, activity string) bool {
	waits, cancel := context.WithTimeout(ctx, countWait) // the count itself goes on
	defer cancel()
	n, err := s.count(waits, activity, countedFor)
	return err == nil && n.Start+n.Units >= MaxOfSale
}

// count returns how many reminders a sale has, or had up to maxAge ago.
func (s *Service) count(ctx context.Context, activity string, maxAge time.Duration) (Counted, error) {
	return s.sizes.Get(ctx, activity, maxAge, func(ctx context.Context) (Counted, error) {
		return s.counted(ctx, activity)
	})
}

// Count returns how many reminders a sale has, or had a second ago.
func (s *Service) Count(ctx context.Context, activity string) (Counted, error) {
	a, err := seckill.ViewActivity(ctx, s.DB, activity)
	if err != nil {
		return Counted{}, unavailable(err)
	}
	if a == nil {
		return Counted{}, problem.NotFound("activity")
	}
	n, err := s.count(ctx, activity, time.Second)
	return n, unavailable(err)
}

// requireSoldOut returns nil if a sku is sold out, or with "" all skus of a sale.
func (s *Service) requireSoldOut(ctx context.Context, a *seckill.Activity, sku string, nowMS int64) error {
	found := false
	maxAge := time.Duration(0) // 0: the buyer was refused a moment ago, and an older count could deny it
	for i := range a.SKUs {
		g := &a.SKUs[i]
		if sku != "" && g.SKU != sku {
			continue
		}
		found = true
		open, known := s.Counts.Open(ctx, a, g, maxAge, nowMS)
		maxAge = openFor // the totals of all skus have been read
		if !known {
			return problem.Unavailable(nil, "The sale can't be reached right now.")
		}
		if open > 0 {
			return problem.Errorf(waitlist.CodeNotSoldOut, "%d are left; buy now.", open)
		}
	}
	if !found {
		return problem.NotFound("sku in this sale")
	}
	return nil
}

// Mine returns the reminders of a buyer, of one activity or, with "", of all.
func (s *Service) Mine(ctx context.Context, user, activity string) ([]View, error) {
	mine, err := ofUser(ctx, s.DB.Read, user)
	if err != nil {
		return nil, unavailable(err)
	}
	views := make([]View, 0, len(mine))
	for i := range mine {
		if activity == "" || mine[i].Activity == activity {
			views = append(views, mine[i].view())
		}
	}
	return views, nil
}

// Forget deletes a reminder of a buyer.
func (s *Service) Forget(ctx context.Context, user, id string) error {
	found, err := s.remove(ctx, user, id)
	if err == nil && !found {
		err = problem.NotFound("reminder")
	}
	return unavailable(err)
}

// remove deletes a reminder of a buyer, if there is one.
func (s *Service) remove(ctx context.Context, user, id string) (found bool, err error) {
	err = s.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		found, err = sqldb.Changed(
			tx.ExecContext(ctx, `DELETE FROM reminders WHERE reminder_id = ? AND user_id = ?`, id, user))
		if err != nil {
			return fmt.Errorf("delete a reminder: %w", err)
		}
		return nil
	})
	return found, err
}

// Exported is a reminder in the export of a user's data.
type Exported struct {
	View
	Token string `json:"notify_token,omitempty"`
}

// Of returns the reminders of a user, for an export.
func Of(ctx context.Context, q sqlx.QueryerContext, user string) ([]Exported, error) {
	mine, err := ofUser(ctx, q, user)
	exported := make([]Exported, len(mine))
	for i := range mine {
		exported[i] = Exported{mine[i].view(), mine[i].Token}
	}
	return exported, err
}

func unavailable(err error) error {
	return problem.OrUnavailable(err, "Reminders can't be reached right now.")
}
