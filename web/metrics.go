package web

import (
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// The gates of this package, as the metrics name them.
const (
	gateConnection = "connection" // what can't be read as HTTP, or is too large
	gateToken      = "token"
	gateStreams    = "streams" // open event streams
)

// register adds the metrics of the app: its requests, refusals and event streams.
func (f *floor) register(with prometheus.Registerer) error {
	streams := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "onrush_streams_open", Help: "Event streams that are open.",
	}, func() float64 { return float64(f.streams.count()) })
	return errors.Join(with.Register(f.requests.seconds), with.Register(f.refused), with.Register(streams))
}

// noRoute is the route of requests that no route answers.
const noRoute = "none"

// requestMetrics count requests and their durations by route, method, status and error_type, all of which are constants
// of the program. error_type is the code of a problem with a status of 500 or more, and else empty. An event stream
// counts as answered when it begins.
type requestMetrics struct {
	seconds *prometheus.HistogramVec

	known atomic.Pointer[map[requestKey]prometheus.Observer]
	mu    sync.Mutex // held to replace known
}

// requestKey is a route, and the status and error_type of an answer. It finds an observer without formatting the labels
// again. The routes of an app live as long as the app.
type requestKey struct {
	route     *fiber.Route // nil: none
	status    int
	errorType string
}

func newRequestMetrics() *requestMetrics {
	m := &requestMetrics{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_server_request_duration_seconds", Help: "Durations of requests, by the route that answered.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"route", "method", "status", "error_type"})}
	m.known.Store(&map[requestKey]prometheus.Observer{})
	return m
}

// observe counts a request that was answered; err is what its handlers returned. It takes no lock, and allocates only
// for a route's first answer with a status.
func (m *requestMetrics) observe(c *fiber.Ctx, err error, took time.Duration) {
	key := requestKey{route: c.Route(), status: c.Response().StatusCode()}
	if isUnrouted(err) {
		key.route = nil // the last route that c passed was not meant for it
	}
	if err != nil && key.status >= http.StatusInternalServerError {
		key.errorType = asError(err).Code.Name
	}
	observer, known := (*m.known.Load())[key]
	if !known {
		observer = m.add(key)
	}
	observer.Observe(took.Seconds())
}

// isUnrouted reports whether err is of Fiber's router, which found no route.
func isUnrouted(err error) bool {
	e, ok := err.(*fiber.Error) //nolint:errorlint // Fiber's router wraps none
	return ok && e.Code >= http.StatusBadRequest
}

// add makes the observer of a key.
func (m *requestMetrics) add(key requestKey) prometheus.Observer {
	m.mu.Lock()
	defer m.mu.Unlock()
	route, method := noRoute, noRoute
	if key.route != nil {
		route, method = key.route.Path, key.route.Method
	}
	observer := m.seconds.WithLabelValues(route, method, strconv.Itoa(key.status), key.errorType)
	with := maps.Clone(*m.known.Load())
	with[key] = observer
	m.known.Store(&with)
	return observer
}

var refusalsTotal = prometheus.NewDesc("onrush_refusals_total",
	"Requests that a gate refused, by the code of the answer.", []string{"gate", "code"}, nil)

// Describe implements prometheus.Collector.
func (r *refusalCounts) Describe(descs chan<- *prometheus.Desc) { descs <- refusalsTotal }

// Collect implements prometheus.Collector. It makes the metrics from the counts when they are read, so that a refusal
// only costs an entry of the map.
func (r *refusalCounts) Collect(metrics chan<- prometheus.Metric) {
	r.mu.Lock()
	byGate := maps.Clone(r.byGate)
	r.mu.Unlock()
	for k, n := range byGate {
		metrics <- prometheus.MustNewConstMetric(refusalsTotal, prometheus.CounterValue, float64(n), k.gate, k.code)
	}
}
