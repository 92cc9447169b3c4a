package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"onrush/modules/journal"
	"onrush/modules/loop"
	"onrush/modules/panics"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// hubEvery is how often the reader of a Hub looks for new events.
	hubEvery = 200 * time.Millisecond
	// hubRecent is how many events of buyers a Hub keeps, for streams that continue after a break.
	hubRecent = 5000
	// hubLoad is how many events, about, a Hub reads when its first follower comes.
	hubLoad = 2000
	// hubWithin bounds one read.
	hubWithin = 2 * time.Second
	// followerQueue is how many events wait for one stream.
	followerQueue = 100
)

// buyersTypes are the types of events that buyers hear, of their own orders and payments.
var buyersTypes = map[string]bool{
	journal.OrderPlaced: true, journal.OrderPaid: true, journal.OrderCancelled: true, journal.OrderRefunded: true,
	journal.OrderFailed: true, journal.OrderVouchersGiven: true, journal.OrderAddressChanged: true,
	journal.OrderPayExtended: true, journal.OrderSKUChanged: true,
	journal.OrderPacked: true, journal.OrderShipped: true, journal.OrderDelivered: true, journal.PaymentFlagged: true,
	journal.WaitlistOffered: true,
}

// HubDeps are the dependencies of a Hub.
type HubDeps struct {
	DB  *sqldb.DB
	Now func() time.Time
	Log *slog.Logger
	// After is time.After, or what a test gives.
	After func(time.Duration) <-chan time.Time
}

// Hub passes new events to the streams of their buyers. However many streams follow, one loop reads the feed; it ends
// when nobody follows. It is safe for concurrent use.
type Hub struct {
	d    HubDeps
	feed *Feed

	loading sync.Mutex // held while the first follower reads the recent events
	away    time.Time  // when the last such read failed; guarded by loading

	mu        sync.Mutex
	running   bool  // whether the loop runs; what follows is valid then
	head      int64 // the last position that was read
	since     int64 // recent has all events of buyers between since and head
	recent    []row
	followers map[string]map[*Follower]struct{} // by user
}

// NewHub returns a Hub that nobody follows.
func NewHub(d HubDeps) *Hub {
	if d.After == nil {
		d.After = time.After
	}
	return &Hub{d: d, feed: NewFeed(d.DB), followers: map[string]map[*Follower]struct{}{}}
}

// errAway says that SQL was unavailable a moment ago.
var errAway = errors.New("SQL was unavailable a moment ago")

// Follow returns a follower of a user's events: those behind the position after, or new ones if after is below 0. The
// caller must close it. If SQL is unavailable, so that there is no reader, the error is unavailable.
func (h *Hub) Follow(ctx context.Context, user string, after int64) (*Follower, error) {
	f := &Follower{hub: h, user: user, wake: make(chan struct{}, 1)}
	if h.join(f, after) {
		return f, nil
	}
	h.loading.Lock() // others wait for the one that loads
	defer h.loading.Unlock()
	if h.join(f, after) {
		return f, nil
	}
	if h.d.Now().Sub(h.away).Abs() < hubEvery { // a crowd that waited asks SQL once
		return nil, problem.Unavailable(errAway, "Your events can't be read right now.")
	}
	if err := h.load(ctx); err != nil {
		h.away = h.d.Now()
		return nil, problem.Unavailable(err, "Your events can't be read right now.")
	}
	h.join(f, after)
	go h.loop() //nolint:contextcheck,gosec // the reader outlives the request of its first follower
	return f, nil
}

// join adds a follower if the loop runs.
func (h *Hub) join(f *Follower, after int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running {
		return false
	}
	f.cursor = h.head
	switch {
	case after < 0:
	case after < h.since || after > h.head:
		f.missed = true
	default:
		f.cursor = after
		for i := range h.recent {
			if r := &h.recent[i]; r.Position > after && r.User == f.user {
				f.push(r, h.head)
			}
		}
	}
	if h.followers[f.user] == nil {
		h.followers[f.user] = map[*Follower]struct{}{}
	}
	h.followers[f.user][f] = struct{}{}
	return true
}

// load reads the most recent events and marks the loop as running; the caller starts it.
func (h *Hub) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hubWithin)
	defer cancel()
	var heads struct {
		Position int64 `db:"position"`
		Deleted  int64 `db:"deleted"`
	}
	const head = `SELECT position, deleted FROM events_head WHERE id = 1`
	if err := h.d.DB.Read.GetContext(ctx, &heads, head); err != nil {
		return fmt.Errorf("read the last event: %w", err)
	}
	since, err := h.recentSince(ctx, heads.Position, heads.Deleted)
	if err != nil {
		return err
	}
	var recent []row
	after := since
	for after < heads.Position {
		found, next, err := h.feed.rows(ctx, after, nil, readMost)
		if err != nil {
			return fmt.Errorf("read recent events: %w", err)
		}
		if len(found) == 0 {
			break
		}
		recent, after = append(recent, found...), next
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running, h.head, h.since, h.recent = true, max(after, heads.Position), since, nil
	for i := range recent {
		h.keep(&recent[i])
	}
	return nil
}

// recentSince returns the position after which the most recent rows up to another one have less than hubLoad events. If
// no rows are before these, it returns the position of the last deleted event.
func (h *Hub) recentSince(ctx context.Context, upTo, deleted int64) (since int64, err error) {
	var sizes []size // newest first
	const query = `SELECT position, events FROM events WHERE position > 0 AND position <= ?
		ORDER BY position DESC LIMIT ?`
	if err := h.d.DB.Read.SelectContext(ctx, &sizes, query, upTo, hubLoad); err != nil {
		return 0, fmt.Errorf("select how many events are recent: %w", err)
	}
	n := int64(0)
	for _, s := range sizes {
		if n += s.Events; n >= hubLoad {
			return s.Position, nil
		}
	}
	return deleted, nil
}

// keep appends an event of a buyer to the recent ones, and reports whether it is one. The caller holds mu.
func (h *Hub) keep(r *row) bool {
	if r.User == "" || !buyersTypes[r.Type] {
		return false
	}
	if r.Type != journal.OrderRefunded {
		r.Data = "" // buyers don't see what operators do
	}
	if len(h.recent) >= 2*hubRecent { // the oldest half is dropped at once
		h.since = h.recent[hubRecent-1].Position
		h.recent = append(make([]row, 0, 2*hubRecent), h.recent[hubRecent:]...)
	}
	h.recent = append(h.recent, *r)
	return true
}

// loop passes on new events until nobody follows.
func (h *Hub) loop() {
	ctx := context.Background()
	failures := loop.NewFailures(h.d.Log, "new events can't be read; streams of buyers wait", sqldb.IsUnavailable)
	for !h.end() {
		n, err := panics.RecoveredValue(func() (int, error) { return h.readOn(ctx) })
		failures.Report(ctx, err)
		if n < readMost {
			<-h.d.After(hubEvery)
		}
	}
}

// end ends the loop if nobody follows.
func (h *Hub) end() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.followers) > 0 {
		return false
	}
	h.running, h.recent = false, nil
	return true
}

// readOn reads the next events and passes them to their followers.
func (h *Hub) readOn(ctx context.Context) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, hubWithin)
	defer cancel()
	h.mu.Lock()
	after := h.head
	h.mu.Unlock()
	rows, next, err := h.feed.rows(ctx, after, nil, readMost)
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head = next
	for i := range rows {
		r := &rows[i]
		if !h.keep(r) {
			continue
		}
		for f := range h.followers[r.User] {
			f.push(r, next)
		}
	}
	return len(rows), nil
}
