package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// readyTimeout is how long a check of readiness may take.
const readyTimeout = 500 * time.Millisecond

// Check says whether something the program stands on is there.
type Check = func(ctx context.Context) error

// Ready is the answer of /readyz.
type Ready struct {
	Status string            `json:"status"` // "ok", "down" or "stopping"
	Checks map[string]string `json:"checks"` // by name: "ok" or "down"
}

// Health adds /livez, which answers while the program runs, and /readyz, which asks the checks:
// 200 if all are well, 503 if one is not or stop has ended. Why a check failed stands in the log.
func Health(r fiber.Router, stop context.Context, checks map[string]Check, log *slog.Logger) { //nolint:revive // stop is no context of the call
	r.Get("/livez", func(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) })
	r.Get("/readyz", func(c *fiber.Ctx) error {
		ready := ask(c.UserContext(), checks, log) //nolint:contextcheck // the request has its own context
		if stop.Err() != nil {
			ready.Status = "stopping"
		}
		if ready.Status != "ok" {
			c.Status(http.StatusServiceUnavailable)
		}
		return c.JSON(ready)
	})
}

// ask runs the checks side by side.
func ask(ctx context.Context, checks map[string]Check, log *slog.Logger) Ready {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ready := Ready{Status: "ok", Checks: make(map[string]string, len(checks))}
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, check := range checks {
		all.Go(func() {
			err := within(ctx, check)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ready.Checks[name] = "ok"
				return
			}
			ready.Status, ready.Checks[name] = "down", "down"
			log.WarnContext(ctx, "not ready", slog.String("check", name), slog.String("error", err.Error()))
		})
	}
	all.Wait()
	return ready
}

// within runs a check no longer than ctx lasts, also one that doesn't heed it, and takes a panic
// for an error.
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
