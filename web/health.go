package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/panics"
	"onrush/modules/problem"
)

const (
	// checkWithin is how long a check may take.
	checkWithin = 500 * time.Millisecond
	// checkEvery is the maximum age of the results of the checks.
	checkEvery = time.Second
)

// Check returns an error if a store is unavailable.
type Check = func(ctx context.Context) error

// Ready is the answer of /readyz.
type Ready struct {
	Status string `json:"status"` // "ok", "degraded", "down" or "stopping"
	// Unavailable lists everything that is unavailable, sorted: the name of a store, with the reason if it answers but
	// takes no writes, such as "sql: read-only"; and work that stands still, such as "queue: lane 3".
	Unavailable []string `json:"unavailable"`
}

// Health knows which stores are available. Its checks run at most once a second, regardless of the
// number of calls.
type Health struct {
	stop   context.Context  //nolint:containedctx // ends when the program begins to stop
	checks map[string]Check // of the stores
	needed map[string]Check // without which the program is down
	work   map[string]Check // which stands still if they fail

	mu    sync.Mutex
	asOf  time.Time
	known map[string]error // by store; nil: available
}

// NewHealth returns the health of stores. stop ends when the program begins to stop.
func NewHealth(stop context.Context, checks map[string]Check) *Health {
	return &Health{stop: stop, checks: checks, needed: map[string]Check{}, work: map[string]Check{}}
}

// Require adds a check without which the program is down. If a check doesn't end in time, its last result counts: the
// check may depend on a store, and the store has its own check, which fails if it doesn't answer. It must be called
// before any other method.
func (h *Health) Require(name string, check Check) { h.needed[name] = check }

// Watch adds a check of work in the background, which degrades the program and says what stands still. It must be
// called before any other method.
func (h *Health) Watch(name string, check Check) { h.work[name] = check }

// Live answers that the program runs.
func (h *Health) Live(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) }

// Readiness answers 200 while at least one store is available, and 503 if none is, if something that is required is
// missing, or if the program is stopping.
func (h *Health) Readiness(c *fiber.Ctx) error {
	ready := h.Ready()
	if ready.Status == "down" || ready.Status == "stopping" {
		c.Status(http.StatusServiceUnavailable)
	}
	return c.JSON(ready)
}

// Ready returns the results of the checks, at most one second old. It takes at most checkWithin.
func (h *Health) Ready() Ready {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || time.Since(h.asOf) >= checkEvery {
		h.ask()
	}
	ready := Ready{Status: "ok", Unavailable: []string{}}
	stores, down := 0, false
	for name, err := range h.known {
		if err == nil {
			continue
		}
		_, needed := h.needed[name]
		_, work := h.work[name]
		if work && errors.Is(err, context.DeadlineExceeded) {
			continue // whether it stands still is not known
		}
		if no, ok := errors.AsType[*problem.NoWritesError](err); ok {
			ready.Unavailable = append(ready.Unavailable, name+": "+no.Reason)
		} else if work {
			ready.Unavailable = append(ready.Unavailable, name+": "+err.Error())
		} else {
			ready.Unavailable = append(ready.Unavailable, name)
		}
		switch {
		case needed:
			down = true
		case !work:
			stores++
		}
	}
	slices.Sort(ready.Unavailable)
	switch {
	case h.stop.Err() != nil:
		ready.Status = "stopping"
	case down || stores == len(h.checks):
		ready.Status = "down"
	case len(ready.Unavailable) > 0:
		ready.Status = "degraded"
	}
	return ready
}

// ask runs the checks in parallel; the caller holds the mutex.
func (h *Health) ask() {
	ctx, cancel := context.WithTimeout(context.Background(), checkWithin)
	defer cancel()
	known := make(map[string]error, len(h.checks))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, checks := range []map[string]Check{h.checks, h.needed, h.work} {
		for name, check := range checks {
			all.Go(func() {
				err := within(ctx, check)
				mu.Lock()
				defer mu.Unlock()
				if _, needed := h.needed[name]; needed && errors.Is(err, errTooLate) {
					err = h.known[name]
				}
				known[name] = err
			})
		}
	}
	all.Wait()
	h.known, h.asOf = known, time.Now()
}

// within runs a check until ctx ends, even if the check ignores ctx, and turns a panic into an error.
func within(ctx context.Context, check Check) error {
	result := make(chan error, 1)
	go func() { result <- panics.Recovered(func() error { return check(ctx) }) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return errTooLate
	}
}

// errTooLate says that a check didn't end in time.
var errTooLate = fmt.Errorf("the check: %w", context.DeadlineExceeded)
