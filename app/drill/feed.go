package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// event is an event of the feed, as far as a drill reads it.
type event struct {
	ID   string `json:"event_id"`
	Type string `json:"type"`
	Data struct {
		Order  *eventOrder  `json:"order"`
		Refund *eventRefund `json:"refund"`
	} `json:"data"`
}

type eventOrder struct {
	Number string `json:"order_number"`
}

type eventRefund struct {
	Number string `json:"refund_number"`
}

// feed reads the events of the program from the beginning of the drill on.
type feed struct {
	run   *run
	first string // the cursor at the beginning

	mu     sync.Mutex
	cursor string
	events map[string]event // by id, as a reader with a cursor got them
	missed bool
}

type eventPage struct {
	Items  []json.RawMessage `json:"items"`
	Next   string            `json:"next_cursor"`
	More   bool              `json:"more"`
	Missed bool              `json:"missed"`
}

func (f *feed) read(ctx context.Context, after string, size int) (p eventPage, err error) {
	err = f.run.operator.Get(ctx, fmt.Sprintf("/admin/api/v1/events?after=%s&page_size=%d", after, size), &p)
	return p, err
}

// begin finds the end of the feed, whose last event need not be known.
func (f *feed) begin(ctx context.Context) error {
	for {
		if err := f.search(ctx); err != nil {
			return err
		}
		p, err := f.read(ctx, f.first, 1)
		if err != nil {
			return err
		}
		if !p.Missed { // else an event came during the search
			return nil
		}
	}
}

// search searches the end of the feed by bisection.
func (f *feed) search(ctx context.Context) error {
	low, high := int64(-1), int64(1)
	for {
		p, err := f.read(ctx, strconv.FormatInt(high, 10), 1)
		if err != nil {
			return err
		}
		if len(p.Items) == 0 {
			break
		}
		low, high = high, high*2
		if high < low {
			return fmt.Errorf("the feed has an event after %d", low)
		}
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		p, err := f.read(ctx, strconv.FormatInt(middle, 10), 1)
		if err != nil {
			return err
		}
		if len(p.Items) == 0 {
			high = middle
		} else {
			low = middle
		}
	}
	f.first = strconv.FormatInt(max(high, 0), 10)
	f.cursor = f.first
	return nil
}

// follow reads on from its cursor until ctx ends.
func (f *feed) follow(ctx context.Context) {
	f.run.every(ctx, 300*time.Millisecond, func() {
		for f.step(ctx) {
		}
	})
}

// step reads one page, and reports whether there is more.
func (f *feed) step(ctx context.Context) (more bool) {
	p, err := f.read(ctx, f.cursor, 100)
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cursor, f.missed = p.Next, f.missed || p.Missed
	for _, e := range decodeEvents(p.Items) {
		f.events[e.ID] = e
	}
	return p.More
}

// again reads the feed anew from where the drill began.
func (f *feed) again(ctx context.Context) (all []event, err error) {
	after := f.first
	for {
		p, err := f.read(ctx, after, 100)
		if err != nil {
			return nil, err
		}
		all = append(all, decodeEvents(p.Items)...)
		if after = p.Next; !p.More {
			return all, nil
		}
	}
}

func decodeEvents(items []json.RawMessage) []event {
	var all []event
	for _, item := range items {
		var e event
		if json.Unmarshal(item, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}
