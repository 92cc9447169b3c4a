package human

import (
	"sync"
	"time"
)

const (
	// loadWindow is the period over which solved challenges are counted.
	loadWindow = 5 * time.Second
	// maxFactor bounds how much harder a challenge gets under load.
	maxFactor = 16
	// maxLoads bounds the activities whose solved challenges are counted.
	maxLoads = 1024
)

// loads counts the challenges that were solved and accepted by this instance, per activity. Challenges that are only
// issued cost their clients nothing and don't count. It is safe for concurrent use.
type loads struct {
	calmRate float64 // per second

	mu         sync.Mutex
	activities map[string]*load
}

// load counts the solved challenges of an activity in the current and in the previous window.
type load struct{ window, current, previous int64 }

func newLoads(calmRate float64) *loads {
	return &loads{calmRate: calmRate, activities: map[string]*load{}}
}

// count counts a solved challenge of an activity.
func (l *loads) count(activity string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	window := now.UnixNano() / int64(loadWindow)
	a := l.activities[activity]
	if a == nil {
		if l.dropIdle(window); len(l.activities) >= maxLoads {
			return
		}
		a = &load{window: window}
		l.activities[activity] = a
	}
	a.advance(window)
	a.current++
}

// factor returns by which factor the challenges of an activity are harder than usual: the rate of the last seconds
// divided by the calm rate, 1 to maxFactor.
func (l *loads) factor(activity string, now time.Time) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.activities[activity]
	if a == nil {
		return 1
	}
	window, into := now.UnixNano()/int64(loadWindow), now.UnixNano()%int64(loadWindow)
	a.advance(window)
	// The part of the last window that is still in the period.
	past := float64(a.previous) * (1 - float64(into)/float64(loadWindow))
	rate := (float64(a.current) + past) / loadWindow.Seconds()
	return min(max(rate/l.calmRate, 1), maxFactor)
}

// advance makes window the current one.
func (a *load) advance(window int64) {
	switch {
	case window == a.window+1:
		a.previous, a.current = a.current, 0
	case window != a.window: // long ago, or the clock was set back
		a.previous, a.current = 0, 0
	}
	a.window = window
}

// dropIdle makes room, if there is none, by removing the activities that have no solved challenge in the period.
func (l *loads) dropIdle(window int64) {
	if len(l.activities) < maxLoads {
		return
	}
	for activity, a := range l.activities {
		if a.window < window-1 {
			delete(l.activities, activity)
		}
	}
}
