package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"onrush/modules/events"
	"onrush/modules/loop"
	"onrush/modules/panics"
)

// outcome is what became of a round's requests.
type outcome struct {
	mu sync.Mutex

	attempts, delivered int
	gone                int // events that are no longer stored
	unreachable         int // attempts without an answer
	// streak counts the failures since the last success, in the order in which the requests ended; since is when the
	// first of them that was a first attempt ended, in ms. Refusing an event again says nothing new about the endpoint.
	streak int
	since  int64

	pauseFor time.Duration // the longest time that an answer asked to wait
	off      bool          // an answer was 410: nothing more is wanted

	stopped bool  // items were left out
	err     error // of a store; it ends the round
}

// down reports whether the endpoint seems to be unavailable.
func (o *outcome) down(cfg Config) bool {
	return o.streak >= cfg.InFlight || o.off || o.pauseFor > 0 || o.attempts > 0 && o.delivered == 0
}

// send makes the requests of a round, at most cfg.InFlight at the same time: one of a subject after the other, and of
// different subjects about in the order of their first events. It stops early when as many requests failed one after
// the other as may be in flight, so that an endpoint that hangs takes the time of few requests.
func (r *round) send(ctx context.Context) {
	subjects := r.subjects()
	ready := make(chan []*item, len(subjects)) // it never blocks: each subject is in it once at most
	for _, items := range subjects {
		ready <- items
	}
	active := len(subjects)
	if active == 0 {
		close(ready)
	}
	end := func() {
		r.outcome.mu.Lock()
		defer r.outcome.mu.Unlock()
		if active--; active == 0 {
			close(ready)
		}
	}
	// A request in flight may end in peace when the program stops.
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopGrace, cancel) })()
	deadline := time.Now().Add(roundWithin)
	var senders sync.WaitGroup
	for range min(r.d.cfg.InFlight, len(subjects)) {
		senders.Go(func() {
			for items := range ready {
				r.d.rest(ctx)
				if r.stop(ctx, deadline) || !r.try(requests, items[0]) {
					hold(items[1:])
					end()
				} else if rest := items[1:]; len(rest) > 0 && r.isDue(rest[0]) {
					ready <- rest
				} else {
					hold(rest)
					end()
				}
			}
		})
	}
	senders.Wait()
	if r.outcome.stopped {
		r.fresh.cut()
		r.replay.cut()
	}
}

// rest waits a little before a request while there is more urgent work.
func (d *Deliverer) rest(ctx context.Context) {
	if d.urgent == nil || !d.urgent() {
		return
	}
	_ = loop.Wait(ctx, restWhileBusy)
}

// stop reports whether the round should begin no more requests.
func (r *round) stop(ctx context.Context, deadline time.Time) bool {
	o := &r.outcome
	o.mu.Lock()
	defer o.mu.Unlock()
	if ctx.Err() != nil || o.err != nil || o.streak >= r.d.cfg.InFlight || o.off || o.pauseFor > 0 ||
		time.Now().After(deadline) {
		onStopped.Mark()
		o.stopped = true
	}
	return o.stopped
}

// hold marks items that wait for an earlier one of their subject.
func hold(items []*item) {
	for _, it := range items {
		it.state = held
	}
}

func (r *round) isDue(it *item) bool { return it.row.NextMS <= r.startMS }

// subjects returns the items by subject, without those whose first one is not due.
func (r *round) subjects() (due [][]*item) {
	bySubject := map[string]int{}
	var all [][]*item
	for _, it := range slices.Concat(r.retries, r.replay.items, r.fresh.items) {
		if i, ok := bySubject[it.row.Subject]; ok && it.row.Subject != "" {
			all[i] = append(all[i], it)
			continue
		}
		bySubject[it.row.Subject] = len(all)
		all = append(all, []*item{it})
	}
	for _, items := range all {
		if r.isDue(items[0]) {
			due = append(due, items)
		} else {
			hold(items)
		}
	}
	return due
}

// cut moves the end of a batch back to the last event that was sent: later events are read again.
func (b *batch) cut() {
	b.next = b.after
	for _, it := range b.items {
		if it.state == done {
			b.next = max(b.next, it.row.Event)
		}
	}
}

// try sends an item and reports whether the next one of its subject may be sent. A panic is a failed attempt.
func (r *round) try(ctx context.Context, it *item) bool {
	next, err := panics.RecoveredValue(func() (bool, error) { return r.attempt(ctx, it), nil })
	if err != nil {
		r.d.log.ErrorContext(ctx, "an event can't be sent",
			"endpoint_id", r.e.ID, "event_id", it.row.Event, "error", err)
		r.take(it, &answer{err: "the event can't be sent"})
	}
	return next
}

func (r *round) attempt(ctx context.Context, it *item) bool {
	if it.event == nil {
		if found, err := r.read(ctx, it); !found || err != nil {
			return err == nil
		}
	}
	body, err := json.Marshal(it.event)
	if err != nil { // no later attempt can succeed
		r.drop(it, "the event can't be written as JSON")
		return true
	}
	now := r.d.now()
	ctx, span := r.d.tracer.Follow(ctx, it.event.Trace, "deliver "+it.event.Type, trace.SpanKindClient)
	a := post(ctx, r.d.client, r.e.URL, Message{
		ID: "evt_" + strconv.FormatInt(it.row.Event, 10), At: now, Body: body, Secrets: r.e.secrets(now.UnixMilli()),
		Trace: r.d.tracer.Sent(ctx),
	})
	endDelivery(span, &a)
	if ctx.Err() != nil && a.code == 0 {
		onEnding.Mark()
		return false // the program ends; the event is sent again
	}
	r.take(it, &a)
	return a.ok()
}

// endDelivery ends the span of a request.
func endDelivery(span trace.Span, a *answer) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int("http.response.status_code", a.code))
	if !a.ok() {
		span.SetStatus(codes.Error, a.err)
	}
	span.End()
}

// read reads the event of an item that waited.
func (r *round) read(ctx context.Context, it *item) (found bool, err error) {
	var at []events.Event
	err = r.d.withSQL(ctx, func(ctx context.Context) (err error) {
		at, _, err = r.d.feed.Read(ctx, it.row.Event-1, nil, 1)
		return err
	})
	if err != nil {
		r.outcome.mu.Lock()
		defer r.outcome.mu.Unlock()
		r.outcome.err = fmt.Errorf("read event %d for endpoint %s: %w", it.row.Event, r.e.ID, err)
		return false, err
	}
	if len(at) == 0 || at[0].ID != it.row.Event {
		onNotStored.Mark()
		r.drop(it, "the event is no longer stored")
		return false, nil
	}
	it.event = &at[0]
	return true, nil
}

// take writes the answer to an item's row.
func (r *round) take(it *item, a *answer) {
	now := r.d.now().UnixMilli()
	row := &it.row
	it.state = done
	row.Attempts++
	row.StatusCode, row.Answer, row.Error, row.DurationMS = int64(a.code), a.body, a.err, a.took.Milliseconds()
	row.AtMS = now
	first := row.FirstMS == 0
	if first {
		row.FirstMS = now
	}
	o := &r.outcome
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts++
	if a.ok() {
		row.Status, row.NextMS = delivered, 0
		o.delivered++
		o.streak, o.since = 0, 0
		return
	}
	onRetry.Mark()
	row.Status, row.NextMS = waiting, now+max(wait(row.Attempts, r.d.random()), a.after).Milliseconds()
	switch a.code {
	case 0:
		onUnreachable.Mark()
		o.unreachable++
	case http.StatusGone:
		onGone.Mark()
		o.off = true
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		onPause.Mark()
		o.pauseFor = max(o.pauseFor, a.after)
	}
	if o.streak++; o.since == 0 && first {
		o.since = now
	}
}
