package seckill

import (
	"context"
	"time"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/human"
)

// pass leads a visit through the gates of its activity to a path.
func (s *Service) pass(ctx context.Context, a *Activity, v Visit) (Path, error) {
	user, sku := v.User, v.SKU
	g, ok := a.sku(sku)
	if !ok {
		return Path{}, problem.NotFound("sku in this sale")
	}
	if err := s.limits.Request(ctx, a.Limits, a.ID, user, v.Address); err != nil {
		return Path{}, err
	}
	if err := admit.ToSegments(a.Segments, v.Segments); err != nil {
		return Path{}, err
	}
	if e := s.running(a); e != nil {
		return Path{}, problem.RefusedBy("state", e)
	}
	if a.PausedMS > 0 {
		return Path{}, problem.RefusedBy("state", errPaused)
	}
	if e := s.anyLeft(ctx, a, g); e != nil {
		return Path{}, problem.RefusedBy("sold_out", e)
	}
	if a.permits() && s.permits.NoneLeft(ctx, s.permitRequest(a, sku, user)) {
		return Path{}, problem.RefusedBy("none_left", errNoPermit)
	}
	if err := s.line.Admit(a.LineSale(), user, v.Place); err != nil {
		return Path{}, problem.RefusedBy("line", err)
	}
	who := human.Subject{Lane: a.Lane, Activity: a.ID, User: user, Address: v.From}
	if err := s.checks.Verify(ctx, a.HumanCheck, who, v.HumanCheck); err != nil {
		return Path{}, problem.RefusedBy("human_check", err)
	}
	asks := admit.Admission{Activity: a.ID, SKU: sku, User: user, Address: v.From}
	err := s.admission.Admit(ctx, asks)
	if err != nil {
		return Path{}, problem.RefusedBy("admission", err)
	}
	expires := min(s.clock.NowMS()+s.cfg.PathFor.Milliseconds(), a.EndsMS)
	if a.permits() {
		if expires, err = s.takePermit(ctx, a, g, user); err != nil {
			return Path{}, problem.RefusedBy("permit", err)
		}
	}
	sealed := s.sign.sealPath(user, path{activity: a.ID, sku: sku, expiresMS: expires})
	return Path{Path: sealed, ExpiresAt: api.Millis(expires)}, nil
}

// errPaused refuses paths and orders while an operator has paused the sale.
var errPaused = &problem.Error{
	Code: CodePaused, Detail: "The sale is paused; it will go on.", RetryAfter: pausedFor, RefreshAfter: pausedFor,
}

// pausedFor is after which time clients ask a paused sale again.
const pausedFor = 5 * time.Second

// errNoPermit refuses a path while as many permits are issued as the sale allows.
var errNoPermit = &problem.Error{
	Code: CodeNoPermit, Detail: "All order permits are issued; one may become available.", RefreshAfter: time.Second,
}
