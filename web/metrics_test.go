package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

// scrape returns metrics in the text format of Prometheus.
func scrape(t *testing.T, from prometheus.Gatherer) string {
	t.Helper()
	a := httptest.NewRecorder()
	promhttp.HandlerFor(from, promhttp.HandlerOpts{}).ServeHTTP(a, httptest.NewRequest(http.MethodGet, "/", nil))
	return a.Body.String()
}

func TestMetricsCountRefusalsByGateAndCode(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	app := newTestApp(t, Config{BodyLimit: 100, Metrics: registry}, quiet())
	policy := limit.Policy{Requests: 2, Period: 24 * time.Hour}
	limits := &RateLimits{User: limit.NewLimiter("user", policy, nil, time.Now, quiet()), Log: quiet()}
	dry := &RateLimits{
		Instance: limit.NewLimiter("instance", policy, nil, time.Now, quiet()), DryRun: true, Log: quiet(),
	}
	app.Get("/limited", limits.Handle, func(c *fiber.Ctx) error { return c.SendString("") })
	app.Get("/dry", dry.Handle, func(c *fiber.Ctx) error { return c.SendString("") })
	app.Get("/sold-out", func(*fiber.Ctx) error {
		return problem.RefusedBy("sold_out", problem.Errorf(problem.Code{Name: "sold_out", Status: 409}, "Sold out."))
	})
	app.Get("/missing", func(*fiber.Ctx) error { return problem.NotFound("sku") })
	for range 5 {
		for _, path := range []string{"/limited", "/dry", "/sold-out", "/missing"} {
			askApp(t, app, "GET", path, "")
		}
	}
	body := scrape(t, registry)
	assert.Contains(t, body, `# HELP onrush_refusals_total Requests that a gate refused, by the code of the answer.
# TYPE onrush_refusals_total counter
onrush_refusals_total{code="dry_run",gate="instance"} 3
onrush_refusals_total{code="rate_limited",gate="user"} 3
onrush_refusals_total{code="sold_out",gate="sold_out"} 5
#`)
	assert.Equal(t, 3, strings.Count(body, "\nonrush_refusals_total{"))
}

func TestMetricsMeasureRequestsByRouteMethodStatusAndErrorType(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	app := newTestApp(t, Config{Metrics: registry}, quiet())
	app.Get("/orders/:number", func(c *fiber.Ctx) error {
		if c.Params("number") == "0" {
			return problem.NotFound("order")
		}
		return c.SendString("")
	})
	app.Get("/lists", func(*fiber.Ctx) error {
		return problem.Errorf(problem.Code{Name: "degraded", Status: 503}, "It is turned off.")
	})
	app.Post("/panics", func(*fiber.Ctx) error { panic("on purpose") })
	group := app.Group("/group", func(*fiber.Ctx) error { return problem.Errorf(problem.CodeUnauthorized, "No.") })
	group.Get("/member", func(c *fiber.Ctx) error { return c.SendString("") })
	for n := range 3 { // each has another path
		askApp(t, app, "GET", fmt.Sprintf("/orders/%d", n), "")
		askApp(t, app, "GET", fmt.Sprintf("/unknown-%d", n), "")
	}
	askApp(t, app, "DELETE", "/orders/1", "")
	askApp(t, app, "POST", "/panics", "")
	askApp(t, app, "GET", "/lists", "")
	askApp(t, app, "GET", "/group/member", "")
	body := scrape(t, registry)
	for labels, count := range map[string]int{
		`error_type="",method="GET",route="/orders/:number",status="200"`:  2,
		`error_type="",method="GET",route="/orders/:number",status="404"`:  1,
		`error_type="",method="none",route="none",status="404"`:            3,
		`error_type="",method="none",route="none",status="405"`:            1,
		`error_type="internal",method="POST",route="/panics",status="500"`: 1,
		`error_type="degraded",method="GET",route="/lists",status="503"`:   1,
		`error_type="",method="GET",route="/group",status="401"`:           1,
	} {
		assert.Contains(t, body, fmt.Sprintf("http_server_request_duration_seconds_count{%s} %d\n", labels, count))
	}
	assert.Equal(t, 7, strings.Count(body, "http_server_request_duration_seconds_count"))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	_, err := parser.TextToMetricFamilies(strings.NewReader(body))
	require.NoError(t, err, "Prometheus can read it")
}

func TestMeasuringARequestAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all allocations
	app := newTestApp(t, Config{Metrics: prometheus.NewRegistry()}, quiet())
	metrics, allocations := newRequestMetrics(), -1.0
	app.Get("/", func(c *fiber.Ctx) error {
		allocations = testing.AllocsPerRun(100, func() { metrics.observe(c, nil, time.Millisecond) })
		return nil
	})
	askApp(t, app, "GET", "/", "")
	assert.Zero(t, allocations)
}
