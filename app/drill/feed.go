package drill

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"onrush/web/client"
)

// event is what a drill keeps of an event of the feed. Order and refund are the numbers of those that it tells of.
type event struct{ id, kind, order, refund string }

// feed reads the events of the program from the beginning of the drill on.
type feed struct {
	run   *run
	first int64 // the cursor at the beginning

	paging sync.Mutex // held by the reader of the next page
	mu     sync.Mutex
	cursor int64
	events map[string]event // by id, as a reader with a cursor got them
	missed bool
}

// begin finds the end of the feed.
func (f *feed) begin(ctx context.Context) (err error) {
	f.first, err = f.run.operator.LastEvent(ctx)
	f.cursor = f.first
	return err
}

// pageSize is how many events are read at once.
const pageSize = 100

// follow reads on from its cursor until ctx ends.
func (f *feed) follow(ctx context.Context) {
	f.run.every(ctx, 300*time.Millisecond, func() {
		for f.step(ctx) {
		}
	})
}

// step reads one page, and reports whether there is more.
func (f *feed) step(ctx context.Context) (more bool) {
	f.paging.Lock()
	defer f.paging.Unlock()
	p, err := f.run.operator.Events(ctx, f.cursor, pageSize, nil)
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cursor, f.missed = p.NextCursor, f.missed || p.Missed
	for _, e := range decodeEvents(p.Items) {
		f.events[e.id] = e
	}
	return p.More
}

// again reads the feed anew from where the drill began.
func (f *feed) again(ctx context.Context) (all []event, err error) {
	after := f.first
	for {
		p, err := f.run.operator.Events(ctx, after, pageSize, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, decodeEvents(p.Items)...)
		if after = p.NextCursor; !p.More {
			return all, nil
		}
	}
}

func decodeEvents(items []json.RawMessage) []event {
	var all []event
	for _, item := range items {
		var e client.PlatformEvent
		if json.Unmarshal(item, &e) == nil {
			all = append(all, event{e.EventID, e.Type, e.Data.Order.OrderNumber, e.Data.Refund.RefundNumber})
		}
	}
	return all
}
