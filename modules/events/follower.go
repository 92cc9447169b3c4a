package events

import (
	"context"

	"onrush/modules/api"
	"onrush/modules/journal"
)

// BuyerEvent is an event as its buyer gets it: what has changed, without the content, which the buyer's routes have.
type BuyerEvent struct {
	ID   int64      `json:"event_id,string"`
	Type string     `json:"type"`
	At   api.Millis `json:"at"`
	Data BuyerData  `json:"data"`
}

// BuyerData names the order, the payment or the entry of a waiting list that has changed.
type BuyerData struct {
	Order  string `json:"order_number,omitempty"`
	Status string `json:"status,omitempty"` // of the order
	Pay    string `json:"pay_number,omitempty"`
	Entry  string `json:"entry_id,omitempty"` // of a waiting list
}

func buyerEvent(r *row) BuyerEvent {
	e := BuyerEvent{ID: r.Position, Type: r.Type, At: api.Millis(r.AtMS)}
	switch r.Type {
	case journal.PaymentFlagged:
		e.Data.Pay = r.Subject
	case journal.WaitlistOffered:
		e.Data.Entry = r.Subject
	default:
		e.Data.Order, e.Data.Status = r.Subject, string(statusAt(r))
	}
	return e
}

// Start is where a stream begins, or begins anew after it lost events.
type Start struct {
	// After is the position behind which the next events are.
	After int64 `json:"-"`
	// Missed says that there may be events that the stream doesn't have: the buyer's orders must be read again.
	Missed bool `json:"missed"`
}

// Follower is one stream of a user's events.
type Follower struct {
	hub  *Hub
	user string
	wake chan struct{} // has a value after queue or missed has changed

	// Guarded by the hub's mu.
	cursor int64 // behind it are the next events
	missed bool
	queue  []BuyerEvent
}

// push appends an event; if too many wait, they are dropped, and the stream begins anew. The caller holds the hub's
// mu.
func (f *Follower) push(r *row, head int64) {
	switch {
	case f.missed:
		f.cursor = head
	case len(f.queue) >= followerQueue:
		f.missed, f.queue, f.cursor = true, nil, head
	default:
		f.queue = append(f.queue, buyerEvent(r))
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Start returns where the stream begins. Call it first.
func (f *Follower) Start() Start {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	return f.start()
}

func (f *Follower) start() Start {
	s := Start{After: f.cursor, Missed: f.missed}
	f.missed = false
	return s
}

// Next waits for the next event. If again is not nil, events were lost, and the stream begins anew there.
func (f *Follower) Next(ctx context.Context) (e BuyerEvent, again *Start, err error) {
	for {
		f.hub.mu.Lock()
		switch {
		case f.missed:
			s := f.start()
			f.hub.mu.Unlock()
			return e, &s, nil
		case len(f.queue) > 0:
			e = f.queue[0]
			f.queue = f.queue[1:]
			f.hub.mu.Unlock()
			return e, nil, nil
		}
		f.hub.mu.Unlock()
		select {
		case <-ctx.Done():
			return e, nil, ctx.Err()
		case <-f.wake:
		}
	}
}

// Close ends the stream.
func (f *Follower) Close() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	delete(f.hub.followers[f.user], f)
	if len(f.hub.followers[f.user]) == 0 {
		delete(f.hub.followers, f.user)
	}
}
