package seckill

import (
	"context"
	"strings"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
)

// pass leads a visit through the gates of its activity to a path.
func (s *Service) pass(ctx context.Context, a *Activity, v Visit) (Path, error) {
	user, sku := v.User, v.SKU
	goods, err := a.goods(sku)
	if err != nil {
		return Path{}, err
	}
	if err := s.limits.Request(ctx, a.Limits, a.ID, user, v.Address); err != nil {
		return Path{}, err
	}
	if err := admit.ToSegments(a.Segments, v.Segments); err != nil {
		return Path{}, err
	}
	early := s.clock.NowMS() < a.StartsMS // if it sells already
	if e := s.running(a, a.Eligible.EarlyMS()); e != nil {
		return Path{}, problem.RefusedBy("state", e)
	}
	if a.PausedMS > 0 {
		return Path{}, problem.RefusedBy("state", errPaused)
	}
	soldOut := s.anyOfEachLeft(ctx, a, goods, false)
	// Where units are left for whoever comes, nobody needs an offer.
	offered := (soldOut != nil || a.Draws() || a.permits() || a.WaitingRoom.On()) && s.offered(ctx, a, sku, user)
	if a.Draws() && !offered {
		return Path{}, problem.RefusedBy("not_drawn", errNotDrawn)
	}
	reserved, soldOut, err := s.reservedFor(ctx, a, v, goods, soldOut)
	if err != nil && !offered {
		return Path{}, err
	}
	if soldOut != nil && !offered && (a.OfferWithinS == 0 || v.Code == "") {
		return Path{}, problem.RefusedBy("sold_out", soldOut)
	}
	limitKey, err := s.mayBuy(ctx, a, v, early)
	if err != nil {
		return Path{}, problem.RefusedBy("eligibility", err)
	}
	if soldOut != nil && !offered { // the code was used, so that the buyer may wait for units
		return Path{}, problem.RefusedBy("sold_out", soldOut)
	}
	if !offered {
		if err := s.takeTurn(ctx, a, v, goods, limitKey, early); err != nil {
			return Path{}, err
		}
	}
	who := human.Subject{Lane: a.Lane, Activity: a.ID, User: user, Address: v.From}
	if err := s.checks.Verify(ctx, a.HumanCheck, who, v.HumanCheck); err != nil {
		return Path{}, problem.RefusedBy("human_check", err)
	}
	asks := admit.Admission{Activity: a.ID, User: user, Address: v.From}
	if refused, err := s.admission.AdmitAll(ctx, asks, strings.SplitSeq(sku, skuSeparator)); err != nil {
		return Path{}, problem.RefusedBy("admission", named(err, goods, refused))
	}
	expires := min(s.clock.NowMS()+s.cfg.PathFor.Milliseconds(), a.EndsMS)
	if a.permits() && !offered {
		if expires, err = s.takePermits(ctx, a, goods, user, limitKey); err != nil {
			return Path{}, problem.RefusedBy("permit", err)
		}
	}
	sealed := s.sign.sealPath(user, path{
		activity: a.ID, sku: sku, expiresMS: expires, early: early, limitKey: limitKey, reserved: reserved,
	})
	return Path{Path: sealed, ExpiresAt: api.Millis(expires)}, nil
}

// takeTurn leads a visit through the gates that share out the units left. early is whether the sale has not started
// yet: the waiting room opens at the start.
func (s *Service) takeTurn(
	ctx context.Context, a *Activity, v Visit, goods []*ActivitySKU, limitKey string, early bool,
) error {
	if a.permits() {
		for _, g := range goods {
			for _, of := range a.stocked(g) {
				if s.permits.NoneLeft(ctx, s.permitRequest(a, of.SKU, v.User, limitKey)) {
					return problem.RefusedBy("none_left", named(errNoPermit, goods, of.SKU))
				}
			}
		}
	}
	if early {
		return nil
	}
	if err := s.line.Admit(a.LineSale(), v.User, v.Place); err != nil {
		return problem.RefusedBy("line", err)
	}
	return nil
}

// offered reports whether units of a sku are kept for a user, who has waited for them, or for whom an operator has set
// them aside. If that can't be read, none are.
func (s *Service) offered(ctx context.Context, a *Activity, sku, user string) bool {
	if !a.KeepsUnits() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	offer, err := s.lua.Offered(ctx, a.Lane, a.ID, sku, user)
	return err == nil && offer != nil && s.clock.NowMS() < offer.UntilMS
}

// mayBuy returns under what the purchases of a visitor are counted, or why the visitor may not buy now. early is
// whether the sale has not started yet.
func (s *Service) mayBuy(ctx context.Context, a *Activity, v Visit, early bool) (limitKey string, err error) {
	if a.LimitKey == "" && !a.Eligible.On() {
		return "", nil
	}
	sale := a.eligibleSale()
	buyer := eligible.Buyer{User: v.User, Code: v.Code, Claim: v.Claim}
	if a.Eligible.On() && (early || a.Eligible.EarlyS == 0) {
		err := s.eligible.Admit(ctx, sale, buyer)
		if early && problem.CodeOf(err) == eligible.CodeNotEligible {
			err = notStarted(a, s.clock.NowMS(), 0)
		}
		if err != nil {
			return "", err
		}
	}
	return s.eligible.LimitKey(ctx, sale, buyer)
}

func (a *Activity) eligibleSale() *eligible.Sale {
	return &eligible.Sale{
		Eligible: a.Eligible, LimitKey: a.LimitKey,
		List: lua.BuyerList{Lane: a.Lane, Activity: a.ID, Start: a.ListedFrom, Version: a.Listed},
	}
}

// errPaused refuses paths and orders while an operator has paused the sale.
var errPaused = &problem.Error{
	Code: CodePaused, Detail: "The sale is paused; it will go on.", RetryAfter: pausedFor, RefreshAfter: pausedFor,
}

// errNotDrawn refuses paths of a draw to buyers to whom nothing is offered.
var errNotDrawn = &problem.Error{
	Code: CodeNotDrawn, Detail: "Only buyers who were drawn may buy, while units are offered to them.",
}

// pausedFor is after which time clients ask a paused sale again.
const pausedFor = 5 * time.Second

// errNoPermit refuses a path while as many permits are issued as the sale allows.
var errNoPermit = &problem.Error{
	Code: CodeNoPermit, Detail: "All order permits are issued; one may become available.", RefreshAfter: time.Second,
}
