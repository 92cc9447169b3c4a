package drill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onrush/app/operator"
	"onrush/modules/loop"
)

// settle waits until all outcomes are known and the program has stored, paid back and told everything, but not longer
// than the drill gives it, and returns what the checks then say.
func (r *run) settle(ctx context.Context) (*verdicts, error) {
	r.progress("settle")
	end := time.Now().Add(r.cfg.Settle)
	for {
		r.resolve(ctx)
		f, err := r.facts(ctx)
		if err == nil {
			late := !time.Now().Before(end)
			f.unreached = late && unreached(f.payments)
			v := r.record.seen()
			r.judge(f, v)
			if waiting := r.waiting(f); waiting == "" && !v.broken() || late {
				if waiting != "" {
					v.problem(checkOrders, "not settled after %s: %s", r.cfg.Settle, waiting)
				}
				return r.last(ctx, v)
			}
		} else if errors.As(err, new(*operator.Refusal)) || !time.Now().Before(end) {
			err = fmt.Errorf("ask the program after the drill: %w", err)
			if v := r.record.seen(); v.broken() { // what visitors saw is a verdict
				v.problem(checkOrders, "%v", err)
				return v, nil
			}
			return nil, err
		}
		if loop.Wait(ctx, time.Second) != nil {
			return nil, fmt.Errorf("the drill was stopped: %w", context.Cause(ctx))
		}
		r.progress("settle")
	}
}

// last judges once more if something is done before the checks.
func (r *run) last(ctx context.Context, v *verdicts) (*verdicts, error) {
	r.progress("check")
	if r.cfg.BeforeChecks == nil || v.broken() {
		return v, nil
	}
	if err := r.cfg.BeforeChecks(r.sales[0].ActivityID); err != nil {
		return nil, err
	}
	f, err := r.facts(ctx)
	if err != nil {
		return nil, err
	}
	f.unreached = unreached(f.payments)
	v = r.record.seen()
	r.judge(f, v)
	return v, nil
}

// resolve sends again each submit whose outcome is unknown, with its key.
func (r *run) resolve(ctx context.Context) {
	attempts, _, _ := r.record.all()
	var jobs []func()
	for _, a := range attempts {
		if a.unknown() && a.path != "" {
			client := *a.shopper
			jobs = append(jobs, func() { r.record.answered(a, client.Submit(ctx, a.path, a.key, a.sent)) })
		}
	}
	atOnce(jobs)
}

// waiting names the work that is not done yet, or "".
func (r *run) waiting(f *facts) string {
	for _, s := range r.sales {
		switch figures := f.stats[s.ActivityID]; {
		case figures.Partial:
			return "a store is away"
		case figures.Placed > 0:
			return fmt.Sprintf("%d orders are not stored", figures.Placed)
		case figures.Unpaid > 0 && s.pays(r.cfg.Settle):
			return fmt.Sprintf("%d orders are neither paid nor cancelled", figures.Unpaid)
		}
	}
	for number, p := range f.payments {
		for _, n := range p.Notifications {
			if n.State == "waiting" && !f.unreached {
				return "a notification of payment " + number + " is on its way"
			}
		}
	}
	for _, refund := range f.refunds {
		if _, ours := f.payments[refund.PayNumber]; ours && refund.Status == "pending" {
			return "refund " + refund.RefundNumber + " is on its way"
		}
	}
	attempts, _, _ := r.record.all()
	for _, a := range attempts {
		if a.unknown() {
			return "the outcome of key " + a.key + " is unknown"
		}
	}
	return ""
}
