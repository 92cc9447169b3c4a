package draw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/gather"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
)

const (
	// MaxEntries bounds the entries of a draw.
	MaxEntries = 1_000_000
	// enterAtOnce is how many buyers enter in one transaction at most.
	enterAtOnce = 500
	// mostEntering is how many buyers may wait to enter a sku's draw on one instance.
	mostEntering = 20_000
	// enterWithin bounds the transaction.
	enterWithin = 5 * time.Second
)

// goods are a sku of an activity.
type goods struct{ activity, sku string }

// entering is a buyer who enters. buyer is under what the entry counts: the user, or a limit key.
type entering struct {
	entry entry
	buyer string
}

// entered is the answer to a buyer: their entry, which may be older, or why there is none.
type entered struct {
	entry entry
	err   error
}

// Enter lets a buyer take part in the draw of a sku. Who has entered keeps their entry.
// Errors: as of seckill.Service.Wish, not_found, draw_closed, purchase_limit, waitlist_full, overloaded.
func (s *Service) Enter(
	ctx context.Context, by seckill.Wisher, activity, sku string, c seckill.Choice,
) (View, error) {
	w, err := s.Wishes.Wish(ctx, by, activity, sku, c)
	if err != nil {
		return View{}, err
	}
	if !w.Activity.Draws() {
		return View{}, errNoDraw
	}
	choice, err := json.Marshal(c)
	if err != nil {
		return View{}, fmt.Errorf("write the choice of an entry: %w", err)
	}
	is, err := s.entering.Do(ctx, goods{activity, sku}, entering{buyer: w.Buyer, entry: entry{
		Activity: activity, SKU: sku, User: by.User, Point: w.Point, Quantity: c.Quantity, Choice: string(choice),
		EnteredMS: s.Clock.NowMS(),
	}})
	switch {
	case errors.Is(err, gather.ErrFull):
		return View{}, errOverloaded
	case err != nil:
		return View{}, unavailable(err)
	case is.err != nil:
		return View{}, is.err
	}
	return plainView(&is.entry, Entered)
}

// errOverloaded refuses a buyer while too many enter.
var errOverloaded = &problem.Error{
	Code: problem.CodeOverloaded, Detail: "Very many enter right now; try again.", RetryAfter: time.Second,
}

// enterAll enters buyers who came at the same time. They hold the lock of the draw, under which its entries are closed:
// an entry is in the order, or its buyer is refused.
func (s *Service) enterAll(of goods, requests []entering, answers []entered) error {
	ctx, cancel := context.WithTimeout(context.Background(), enterWithin)
	defer cancel()
	return s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		clear(answers)
		d, err := lock(ctx, tx, of.activity)
		if err != nil {
			return err
		}
		if d == nil || d.ClosedMS > 0 {
			for i := range answers {
				answers[i].err = problem.Errorf(seckill.CodeDrawClosed, "The entries are closed.")
			}
			return nil
		}
		for i := range requests {
			e := &requests[i].entry
			e.ID = d.Secret.entryID(of.sku, requests[i].buyer)
			e.Lot = d.Secret.lot(e.ID)
		}
		known, err := knownOf(ctx, tx, of, requests)
		if err != nil {
			return err
		}
		var added []entry
		for i := range requests {
			e := requests[i].entry
			had, is := known.ofUser[e.User]
			switch {
			case is:
				answers[i].entry = had
			case known.lots[e.Lot]:
				answers[i].err = problem.Errorf(seckill.CodePurchaseLimit,
					"Somebody who counts as the same buyer has entered.")
			case d.Entered+int64(len(added)) >= MaxEntries:
				answers[i].err = problem.Errorf(waitlist.CodeWaitlistFull, "Too many have entered.")
			default:
				answers[i].entry = e
				known.add(e)
				added = append(added, e)
			}
		}
		return insert(ctx, tx, of.activity, added)
	})
}

// known are entries for a sku. A user has one, even if their limit key has changed, and so has a limit key.
type known struct {
	ofUser map[string]entry
	lots   map[string]bool
}

func (k *known) add(e entry) { k.ofUser[e.User], k.lots[e.Lot] = e, true }

// knownOf selects the entries that have the user or the lot of one of the requests.
func knownOf(ctx context.Context, tx *sqlx.Tx, of goods, requests []entering) (*known, error) {
	lots, users := make([]string, len(requests)), make([]string, len(requests))
	for i := range requests {
		lots[i], users[i] = requests[i].entry.Lot, requests[i].entry.User
	}
	k := &known{map[string]entry{}, map[string]bool{}}
	byLot, err := with(ctx, tx, of, "lot", lots)
	if err != nil {
		return nil, err
	}
	byUser, err := with(ctx, tx, of, "user_id", users)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Concat(byLot, byUser) {
		k.add(e)
	}
	return k, nil
}
