//go:build large

package faults

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/modules/order"
	"onrush/test/site"
)

// feed reads the events of orders at two instances in turn, while the test runs, as a platform does.
type feed struct {
	operators [2]*site.Person

	mu     sync.Mutex
	after  int64
	turn   int
	missed int                 // pages that said so
	types  map[string][]string // order number → types of its events, in their order
}

func newFeed(t *testing.T, sites [2]*site.Site) *feed {
	t.Helper()
	f := &feed{types: map[string][]string{}}
	for i, s := range sites {
		f.operators[i] = s.Operator(t)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	var reading sync.WaitGroup
	reading.Go(func() {
		again := time.NewTicker(5 * pollEvery)
		defer again.Stop()
		for ; ctx.Err() == nil; <-again.C {
			f.read(ctx, t)
		}
	})
	t.Cleanup(func() { end(); reading.Wait() })
	return f
}

// eventPage is a page of the feed.
type eventPage struct {
	Items []struct {
		ID   int64  `json:"event_id,string"`
		Type string `json:"type"`
		Data struct {
			Order struct {
				Number string `json:"order_number"`
			} `json:"order"`
		} `json:"data"`
	} `json:"items"`
	Next   int64 `json:"next_cursor,string"`
	More   bool  `json:"more"`
	Missed bool  `json:"missed"`
}

// read reads a page, and reports whether there are more.
func (f *feed) read(ctx context.Context, t *testing.T) (more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn++
	a, err := f.operators[f.turn%2].Try(ctx, http.MethodGet,
		"/admin/api/v1/events?page_size=100&after="+strconv.FormatInt(f.after, 10), "", nil)
	if err != nil || a.Status == http.StatusServiceUnavailable {
		return true
	}
	var page eventPage
	if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
		return assert.Fail(t, "an unexpected page", "%d %s", a.Status, a.Body)
	}
	if page.Missed {
		f.missed++
	}
	for _, e := range page.Items {
		assert.Greater(t, e.ID, f.after, "an id comes again")
		f.after = e.ID
		if e.Data.Order.Number != "" {
			f.types[e.Data.Order.Number] = append(f.types[e.Data.Order.Number], e.Type)
		}
	}
	f.after = max(f.after, page.Next)
	return page.More
}

// catchUp reads to the end.
func (f *feed) catchUp(t *testing.T) {
	t.Helper()
	waitFor(t, "the end of the feed", func() bool { return !f.read(t.Context(), t) })
}

// requireEvents requires that each change of an order came once, in its order.
func (f *feed) requireEvents(t *testing.T, v *visit, status order.Status) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	expected := []string{"order.placed"}
	if status != order.Unpaid {
		expected = append(expected, "order."+string(status))
	}
	assert.Equal(t, expected, f.types[v.number], "events of the order of %s", v.user)
}
