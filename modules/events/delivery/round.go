package delivery

import (
	"context"
	"errors"
	"fmt"

	"onrush/modules/events"
)

// item is an event that may be sent in a round.
type item struct {
	row    deliveryRow
	event  *events.Event // nil: it is read when it is sent
	source source
	state  itemState
}

// source is where an item comes from.
type source int

const (
	retry  source = iota // a row of deliveries that waits
	replay               // the span that is sent again; deliveries may have a row
	fresh                // after the endpoint's cursor
)

type itemState int

// The states of an item.
const (
	untried itemState = iota
	held              // it waits behind an earlier event of its subject
	done              // row has the outcome
)

// batch is what a round has read after one of the endpoint's cursors.
type batch struct {
	items []*item
	after int64 // the cursor
	next  int64 // the cursor when all items have rows
}

// round is one pass over an endpoint: what waits, then a part of a span that is sent again, then new events.
type round struct {
	d       *Deliverer
	e       endpointRow
	startMS int64

	retries []*item
	replay  batch // a part of the span that is sent again
	fresh   batch
	outcome outcome
}

// round delivers a bounded number of events to an endpoint. more reports whether another round has something to do at
// once.
func (d *Deliverer) round(ctx context.Context, id string) (attempts int, more bool, err error) {
	r := &round{d: d, startMS: d.now().UnixMilli()}
	if r.e, err = selectEndpoint(ctx, d.db.Read, id); errors.Is(err, errNoEndpoint) {
		return 0, false, errLost
	} else if err != nil {
		return 0, false, err
	}
	if r.e.Owner != d.instance || !r.e.Enabled {
		return 0, false, errLost
	}
	if err := d.withSQL(ctx, r.load); err != nil {
		return 0, false, err
	}
	r.send(ctx)
	if err := d.faults.after("sent"); err != nil {
		return r.outcome.attempts, false, err
	}
	if !r.changed() {
		return 0, false, r.outcome.err
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()
	if err := d.withSQL(recording, r.record); err != nil {
		return r.outcome.attempts, false, err
	}
	r.d.counts.add(&r.outcome)
	if err := d.faults.after("recorded"); err != nil {
		return r.outcome.attempts, false, err
	}
	return r.outcome.attempts, !r.outcome.down(d.cfg), r.outcome.err
}

// withSQL calls a function that uses one connection, while not too many others do.
func (d *Deliverer) withSQL(ctx context.Context, use func(context.Context) error) error {
	if err := d.sql.Acquire(ctx, 1); err != nil {
		return err
	}
	defer d.sql.Release(1)
	return use(ctx)
}

// load reads what the round may send.
func (r *round) load(ctx context.Context) error {
	cfg := r.d.cfg
	var rows []deliveryRow
	const query = ` FROM deliveries WHERE endpoint_id = ? AND status = 'waiting' ORDER BY event_id LIMIT ?`
	// A resend of single events may exceed the bound on what waits, though not by much.
	if err := r.d.db.Read.SelectContext(ctx, &rows, `SELECT `+deliveryColumns.Names+query, r.e.ID,
		cfg.Waiting+cfg.Batch); err != nil {
		return fmt.Errorf("select what waits for endpoint %s: %w", r.e.ID, err)
	}
	waits := make(map[int64]bool, len(rows))
	for _, row := range rows {
		r.retries = append(r.retries, &item{row: row, source: retry})
		waits[row.Event] = true
	}
	r.replay = batch{after: r.e.ReplayAfter, next: r.e.ReplayAfter}
	r.fresh = batch{after: r.e.After, next: r.e.After}
	room := min(cfg.Waiting-len(rows), cfg.Batch)
	if room > 0 && r.e.replaying() {
		if err := r.loadReplay(ctx, max(room/2, 1), waits); err != nil {
			return err
		}
		room -= len(r.replay.items)
	}
	if room <= 0 {
		return nil
	}
	found, next, err := r.d.feed.Read(ctx, r.e.After, r.e.types(), room)
	if err != nil {
		return fmt.Errorf("read events for endpoint %s: %w", r.e.ID, err)
	}
	r.fresh.next = next
	for i := range found {
		if e := &found[i]; r.e.takes(e) {
			r.fresh.items = append(r.fresh.items, r.item(e, fresh))
		}
	}
	return nil
}

// loadReplay reads a part of the span of events that is sent again. Events that wait already are left out.
func (r *round) loadReplay(ctx context.Context, limit int, waits map[int64]bool) error {
	found, next, err := r.d.feed.Read(ctx, r.e.ReplayAfter, r.e.types(), limit)
	if err != nil {
		return fmt.Errorf("read events again for endpoint %s: %w", r.e.ID, err)
	}
	if next == r.e.ReplayAfter { // no event is left
		next = r.e.ReplayUpTo
	}
	r.replay.next = min(next, r.e.ReplayUpTo)
	for i := range found {
		e := &found[i]
		if !r.e.takes(e) || e.ID > r.e.ReplayUpTo || waits[e.ID] || int64(e.At) < r.e.ReplayFromMS ||
			r.e.ReplayToMS != 0 && int64(e.At) > r.e.ReplayToMS {
			continue
		}
		r.replay.items = append(r.replay.items, r.item(e, replay))
	}
	return nil
}

// item returns an event that has not been tried.
func (r *round) item(e *events.Event, from source) *item {
	return &item{event: e, source: from, row: deliveryRow{
		Endpoint: r.e.ID, Event: e.ID, Subject: e.Subject, Type: e.Type, Status: waiting,
		AtMS: r.d.now().UnixMilli(),
	}}
}
