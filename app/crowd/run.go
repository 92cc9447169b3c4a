package crowd

import (
	"context"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/modules/seckill/inventory"
)

const (
	// idLength is the length of the part of a run's id that its users have in their names.
	idLength = 10
	// auditEvery is how often the sale is audited while its crowd buys.
	auditEvery = 500 * time.Millisecond
	// auditWithin bounds one audit, and the repetitions of the last one.
	auditWithin = 10 * time.Second
	// patience is how long a buyer tries.
	patience = 60 * time.Second
	// crowdWithin bounds a crowd whose requests take long.
	crowdWithin = 80 * time.Second
)

// State is what a crowd has done. Buyers is the sum of Waiting, Ordered and Refused.
type State struct {
	ActivityID string         `json:"activity_id"`
	Buyers     int            `json:"buyers"`
	Running    bool           `json:"running"`
	ElapsedMS  int64          `json:"elapsed_ms"` // until its last buyer left
	Requests   int            `json:"requests"`
	Waiting    int            `json:"waiting"` // buyers who are still trying
	Ordered    int            `json:"ordered"` // buyers with an accepted order
	Refused    int            `json:"refused"` // buyers who ended without one
	Answers    map[string]int `json:"answers"` // by <call>:<code>; the code of success is ok

	UnitsBefore int64 `json:"units_before"` // of all skus of the sale
	UnitsLeft   int64 `json:"units_left"`
	OK          *bool `json:"ok,omitempty"` // of the last audit; absent before the first
	Drift       int64 `json:"drift"`        // of the last audit: the sum of its drifts without their signs
}

// run is one crowd.
type run struct {
	*Crowd

	id       string // no other run of any program has it
	number   int    // counts the runs of this program
	activity string
	goods    []buyer.Goods
	segments []string // of its buyers
	shared   buyer.Shared
	began    time.Time

	mu    sync.Mutex
	ended time.Time // when the last buyer left
	now   State     // without ElapsedMS
}

// do runs the crowd to its end.
func (r *run) do(stop context.Context) {
	ctx, cancel := context.WithTimeout(stop, crowdWithin)
	defer cancel()
	auditing, endAudits := context.WithCancel(ctx)
	var audits, buyers sync.WaitGroup
	audits.Go(func() { r.audits(auditing) })
	for n := range r.state().Buyers {
		buyers.Go(func() { r.buy(ctx, n) })
	}
	buyers.Wait()
	r.mu.Lock()
	r.ended = r.d.Now()
	r.mu.Unlock()
	endAudits()
	audits.Wait()
	r.auditAtLast(stop)
	s := r.state()
	r.d.Log.InfoContext(stop, "a crowd has bought", "activity_id", s.ActivityID, "buyers", s.Buyers,
		"requests", s.Requests, "ordered", s.Ordered, "refused", s.Refused, "drift", s.Drift,
		"took_ms", s.ElapsedMS)
}

// buy lets one buyer buy. A panic ends that buyer only.
func (r *run) buy(ctx context.Context, n int) {
	ordered := false
	defer func() {
		if value := recover(); value != nil {
			r.d.Log.ErrorContext(ctx, "a buyer of a crowd panicked", "panic", value, "stack", string(debug.Stack()))
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now.Waiting--
		if ordered {
			r.now.Ordered++
		} else {
			r.now.Refused++
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ordered = newMember(r, n).purchase(ctx)
}

// count counts the answer to a call.
func (r *run) count(call string, a buyer.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Requests++
	r.now.Answers[call+":"+a.Code]++
}

// audits audits the sale until ctx ends. An audit that can't be made is left out.
func (r *run) audits(ctx context.Context) {
	for loop.Wait(ctx, auditEvery) == nil {
		within, cancel := context.WithTimeout(ctx, auditWithin)
		if audit, err := r.d.Auditor.Account(within, r.activity); err == nil {
			r.keepAudit(audit)
		}
		cancel()
	}
}

// auditAtLast audits the sale when its crowd has left, and compares all that an audit may compare.
func (r *run) auditAtLast(stop context.Context) {
	ctx, cancel := context.WithTimeout(stop, auditWithin)
	defer cancel()
	for {
		audit, err := r.d.Auditor.Audit(ctx, r.activity)
		if err == nil {
			r.keepAudit(audit)
			return
		}
		if loop.Wait(ctx, auditEvery) != nil {
			if stop.Err() == nil {
				r.d.Log.WarnContext(ctx, "the sale of a crowd can't be audited",
					"activity_id", r.activity, "error", err)
			}
			return
		}
	}
}

// keepAudit keeps the result of an audit.
func (r *run) keepAudit(audit *inventory.Audit) {
	var left, drift int64
	for _, total := range audit.Totals {
		left += total.Remaining
		drift += max(total.Drift, -total.Drift)
	}
	for _, item := range audit.Items {
		drift += max(item.Drift, -item.Drift)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now.OK == nil { // the first audit
		r.now.UnitsBefore = left
	}
	r.now.UnitsLeft, r.now.Drift, r.now.OK = left, drift, &audit.OK
}

func (r *run) state() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := r.ended
	if until.IsZero() {
		until = r.d.Now()
	}
	s := r.now
	s.Answers, s.ElapsedMS = maps.Clone(s.Answers), until.Sub(r.began).Milliseconds()
	return s
}
