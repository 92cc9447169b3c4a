package web

import (
	"fmt"
	"maps"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// The gates of this package, as the metrics name them.
const (
	gateConnection = "connection" // what can't be read as HTTP, or is too large
	gateToken      = "token"
	gateStreams    = "streams" // open event streams
)

// Metrics answers in the text format of Prometheus: the refusals of the app, what more collects, and what Prometheus
// collects of every Go program, its runtime, its process and its build.
func Metrics(more ...prometheus.Collector) fiber.Handler {
	program := prometheus.NewRegistry()
	program.MustRegister(more...)
	program.MustRegister(collectors.NewGoCollector(), collectors.NewBuildInfoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return func(c *fiber.Ctx) error {
		f := floorOf(c)
		if f == nil {
			return fmt.Errorf("metrics: %w", fiber.ErrInternalServerError)
		}
		families, err := prometheus.Gatherers{f.refused.registry, program}.Gather()
		if err != nil {
			return fmt.Errorf("gather metrics: %w", err)
		}
		c.Set(fiber.HeaderContentType, string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		for _, family := range families {
			if _, err := expfmt.MetricFamilyToText(c, family); err != nil {
				return fmt.Errorf("write metrics: %w", err)
			}
		}
		return nil
	}
}

var refusalsTotal = prometheus.NewDesc("onrush_refusals_total",
	"Requests that a gate refused, by the code of the answer.", []string{"gate", "code"}, nil)

// Describe implements prometheus.Collector.
func (r *refusals) Describe(descs chan<- *prometheus.Desc) { descs <- refusalsTotal }

// Collect implements prometheus.Collector: it reads the counts, so that a refusal itself costs no more than the map.
func (r *refusals) Collect(metrics chan<- prometheus.Metric) {
	r.mu.Lock()
	byGate := maps.Clone(r.byGate)
	r.mu.Unlock()
	for k, n := range byGate {
		metrics <- prometheus.MustNewConstMetric(refusalsTotal, prometheus.CounterValue, float64(n), k.gate, k.code)
	}
}
