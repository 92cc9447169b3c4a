package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
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
	Status      string   `json:"status"`      // "ok", "degraded", "down" or "stopping"
	Unavailable []string `json:"unavailable"` // the unavailable stores, sorted
}

// Health knows which stores are available. Its checks run at most once a second, regardless of the
// number of calls.
type Health struct {
	stop   context.Context //nolint:containedctx // ends when the program begins to stop
	checks map[string]Check
	log    *slog.Logger

	mu    sync.Mutex
	asOf  time.Time
	known map[string]error // by store; nil: available
}

// NewHealth returns the health of stores. stop ends when the program begins to stop.
func NewHealth(stop context.Context, checks map[string]Check, log *slog.Logger) *Health {
	return &Health{stop: stop, checks: checks, log: log}
}

// Register adds /livez, which answers while the program runs, and /readyz, which answers 200 while at
// least one store is available, and 503 if none is or the program is stopping.
func (h *Health) Register(r fiber.Router) {
	r.Get("/livez", func(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) })
	r.Get("/readyz", func(c *fiber.Ctx) error {
		ready := h.Ready()
		if ready.Status == "down" || ready.Status == "stopping" {
			c.Status(http.StatusServiceUnavailable)
		}
		return c.JSON(ready)
	})
}

// Ready returns the results of the checks, at most one second old. It takes at most checkWithin.
func (h *Health) Ready() Ready {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || time.Since(h.asOf) >= checkEvery {
		h.ask()
	}
	ready := Ready{Status: "ok", Unavailable: []string{}}
	for name, err := range h.known {
		if err != nil {
			ready.Unavailable = append(ready.Unavailable, name)
		}
	}
	slices.Sort(ready.Unavailable)
	switch {
	case h.stop.Err() != nil:
		ready.Status = "stopping"
	case len(ready.Unavailable) == len(h.checks):
		ready.Status = "down"
	case len(ready.Unavailable) > 0:
		ready.Status = "degraded"
	}
	return ready
}

// Run checks every second until ctx ends. It notices changes, for the log, also while nobody calls /readyz.
func (h *Health) Run(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		h.Ready() //nolint:contextcheck // a check is shared and bounded by itself
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// ask runs the checks in parallel and logs changes; the caller holds the mutex.
func (h *Health) ask() {
	ctx, cancel := context.WithTimeout(context.Background(), checkWithin)
	defer cancel()
	known := make(map[string]error, len(h.checks))
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, check := range h.checks {
		all.Go(func() {
			err := within(ctx, check)
			mu.Lock()
			defer mu.Unlock()
			known[name] = err
		})
	}
	all.Wait()
	for name, err := range known {
		had, asked := h.known[name]
		switch {
		case err != nil && (!asked || had == nil):
			h.log.WarnContext(ctx, "a store is unavailable", slog.String("store", name),
				slog.String("error", err.Error()))
		case err == nil && asked && had != nil:
			h.log.InfoContext(ctx, "a store is available again", slog.String("store", name))
		}
	}
	h.known, h.asOf = known, time.Now()
}

// within runs a check until ctx ends, even if the check ignores ctx, and turns a panic into an error.
func within(ctx context.Context, check Check) error {
	result := make(chan error, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				result <- fmt.Errorf("panic: %v", value)
			}
		}()
		result <- check(ctx)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
