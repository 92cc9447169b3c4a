package admin

import (
	"context"
	"slices"
	"sync"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/loop"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

const (
	// sampleEvery is how often the figures of the sales are sampled.
	sampleEvery = 5 * time.Second
	// sampleWithin bounds one sample. SQL has sqlStatsWithin of it, Redis the rest.
	sampleWithin = 2 * time.Second
	// historyFor is how long points are kept.
	historyFor = time.Hour
	// maxPoints bounds the points of one sale.
	maxPoints = int(historyFor / sampleEvery)
	// maxSampled bounds the sales of one sample.
	maxSampled = 100
	// A sale is sampled from sampledBefore its start to sampledAfter its end, so that operators see its first buyers
	// and, after the end, its payments and its queue.
	sampledBefore = time.Minute
	sampledAfter  = 10 * time.Minute
)

// ActivityHistory is the recent figures of one activity, the oldest first.
type ActivityHistory struct {
	ActivityID string         `json:"activity_id"`
	EveryS     int            `json:"every_s"` // seconds between two points
	Items      []HistoryPoint `json:"items"`
}

// HistoryPoint is the figures of an activity at one time. If a store was unavailable, its figures are omitted.
type HistoryPoint struct {
	At api.Millis `json:"at"`
	*StoredFigures
	*LiveFigures
}

// StoredFigures count the orders of an activity that SQL has, by status.
type StoredFigures struct {
	Unpaid    int64 `json:"unpaid"`
	Paid      int64 `json:"paid"`
	Cancelled int64 `json:"cancelled"`
}

// LiveFigures are what Redis knows of an activity.
type LiveFigures struct {
	OrdersPerSecond float64 `json:"orders_per_second"`   // over the last ten full seconds
	Placed          int64   `json:"placed"`              // orders in the queue, not in SQL yet
	Remaining       *int64  `json:"remaining,omitempty"` // units; nil if Redis has not loaded the activity
	QueueLength     int64   `json:"queue_length"`        // of the activity's lane
	QueueOldestMS   int64   `json:"queue_oldest_ms"`
	Accepted        int64   `json:"accepted"` // orders, since the sale began; replays count once
	Refused         int64   `json:"refused"`  // paths and submits, since the sale began
}

// History keeps the figures of the last hour of the sales that run. Every instance samples for itself and keeps its
// points in memory, so it needs no job lock, and the points of two instances differ by less than sampleEvery. An
// instance that was just started has none.
//
// At 100 sales and 720 points each it takes about 15 MB.
type History struct {
	db       *sqldb.DB
	lua      *lua.Scripts
	counters *seckill.AnswerCounters
	clock    *clock.Clock
	failures *loop.Failures

	sampling sync.Mutex // held by RunOnce, guards the next two
	sales    []sampledSale
	skus     map[string][]string // of the sales, by activity

	mu     sync.RWMutex
	points map[string][]HistoryPoint // by activity, the oldest first
}

// NewHistory returns a History without points.
func NewHistory(d Deps, counters *seckill.AnswerCounters) *History {
	return &History{
		db: d.DB, lua: d.Lua, counters: counters, clock: d.Clock, skus: map[string][]string{},
		points: map[string][]HistoryPoint{},
		failures: loop.NewFailures(d.Log, "the figures of the sales can't be sampled; their history has gaps",
			sqldb.IsUnavailable),
	}
}

// Of returns the points of the last hour of an activity, the oldest first, and whether the activity was sampled in
// that hour. It queries no store.
func (h *History) Of(activity string) (points []HistoryPoint, sampled bool) {
	after := api.Millis(h.clock.NowMS() - historyFor.Milliseconds())
	h.mu.RLock()
	defer h.mu.RUnlock()
	all, sampled := h.points[activity]
	first, _ := slices.BinarySearchFunc(all, after, func(p HistoryPoint, after api.Millis) int {
		if p.At > after {
			return 1
		}
		return -1
	})
	return append([]HistoryPoint{}, all[first:]...), sampled
}

// Latest returns the last points of the sales that were sampled in the last sample. It queries no store.
func (h *History) Latest() map[string]HistoryPoint {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var newest api.Millis
	for _, points := range h.points {
		newest = max(newest, points[len(points)-1].At)
	}
	latest := map[string]HistoryPoint{}
	for activity, points := range h.points {
		if p := points[len(points)-1]; p.At == newest {
			latest[activity] = p
		}
	}
	return latest
}

// Run samples every five seconds until ctx ends.
func (h *History) Run(ctx context.Context) {
	loop.Run(ctx, sampleEvery, h.failures, func(ctx context.Context) error {
		_, err := h.RunOnce(ctx)
		return err
	})
}

// keep adds the points of one sample, and drops the sales that were not sampled in the last hour.
func (h *History) keep(nowMS int64, sampled map[string]HistoryPoint) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for activity, p := range sampled {
		h.points[activity] = withPoint(h.points[activity], p)
	}
	for activity, points := range h.points {
		last := int64(points[len(points)-1].At)
		if max(nowMS-last, last-nowMS) >= historyFor.Milliseconds() { // or the clock was set back
			delete(h.points, activity)
		}
	}
}

// withPoint adds a point behind the others. If the clock was set back, points that are not before it are dropped:
// their times were wrong.
func withPoint(points []HistoryPoint, p HistoryPoint) []HistoryPoint {
	for len(points) > 0 && points[len(points)-1].At >= p.At {
		points = points[:len(points)-1]
	}
	if len(points) >= maxPoints {
		points = slices.Delete(points, 0, len(points)-maxPoints+1)
	}
	return append(points, p)
}
