package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// The gates of this package, as the metrics name them.
const (
	gateConnection = "connection" // what can't be read as HTTP, or is too large
	gateToken      = "token"
	gateStreams    = "streams" // open event streams
)

// metricsType is the media type of the text format of Prometheus.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// Metrics answers in the text format of Prometheus. more returns further metrics in that format.
func Metrics(more ...func() string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		f := floorOf(c)
		if f == nil {
			return fmt.Errorf("metrics: %w", fiber.ErrInternalServerError)
		}
		c.Set(fiber.HeaderContentType, metricsType)
		text := f.refused.metrics()
		for _, metrics := range more {
			text += metrics()
		}
		return c.SendString(text)
	}
}

// metrics returns the refusals by gate. Gates and codes need no escapes.
func (r *refusals) metrics() string {
	r.mu.Lock()
	byGate := maps.Clone(r.byGate)
	r.mu.Unlock()
	lines := make([]string, 0, len(byGate))
	for k, n := range byGate {
		lines = append(lines, fmt.Sprintf("onrush_refusals_total{gate=%q,code=%q} %d\n", k.gate, k.code, n))
	}
	slices.Sort(lines)
	return "# HELP onrush_refusals_total Requests that a gate refused, by the code of the answer.\n" +
		"# TYPE onrush_refusals_total counter\n" + strings.Join(lines, "")
}
