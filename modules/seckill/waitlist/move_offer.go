package waitlist

import (
	"context"

	"onrush/lua"
	"onrush/modules/seckill"
)

// MoveOffer gives the user of an entry the offer that Redis has for another user, in one step, and reports whether the
// user has it now. A sale that is being loaded gets it from SQL.
func MoveOffer(
	ctx context.Context, s *lua.Scripts, a *seckill.Activity, from string, e *Entry,
) (moved bool, err error) {
	ends := []lua.EndOffer{{SKU: e.SKU, User: from, Entry: e.ID, Now: true}}
	had, err := s.Offered(ctx, a.Lane, a.ID, e.SKU, e.User)
	if err != nil {
		return false, err
	}
	if had != nil && had.Entry != e.ID { // of an entry that SQL has no more, since the user has this one
		ends = append(ends, lua.EndOffer{SKU: e.SKU, User: e.User, Entry: had.Entry, Now: true})
	}
	done, err := s.ChangeWaitlist(ctx, &lua.WaitlistChange{
		Lane: a.Lane, Activity: a.ID, Epoch: a.Epoch(), Ends: ends, Offers: []lua.Offer{e.Offer()},
	})
	return err == nil && done.Loaded && done.UntilMS[0] > 0, err
}
