package web

import (
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

func TestMetricsCountRefusalsByGateAndCode(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{BodyLimit: 100}, quiet())
	app.Get("/metrics", Metrics())
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
	a := askApp(t, app, "GET", "/metrics", "")
	assert.Equal(t, 200, a.Status)
	assert.Contains(t, a.Header.Get("Content-Type"), "text/plain; version=0.0.4")
	assert.Contains(t, a.Body, `# HELP onrush_refusals_total Requests that a gate refused, by the code of the answer.
# TYPE onrush_refusals_total counter
onrush_refusals_total{code="dry_run",gate="instance"} 3
onrush_refusals_total{code="rate_limited",gate="user"} 3
onrush_refusals_total{code="sold_out",gate="sold_out"} 5
#`)
	assert.Equal(t, 3, strings.Count(a.Body, "\nonrush_refusals_total{"))
	assert.Equal(t, 1, strings.Count(a.Body, "# TYPE onrush_"))
}

func TestMetricsTellOfTheProgram(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	more := prometheus.NewGauge(prometheus.GaugeOpts{Name: "onrush_more", Help: "What a module counts."})
	more.Set(7)
	app.Get("/metrics", Metrics(more))
	a := askApp(t, app, "GET", "/metrics", "")
	assert.Equal(t, 200, a.Status)
	for _, name := range []string{"go_goroutines", "go_build_info", "process_cpu_seconds_total", "onrush_more"} {
		assert.Contains(t, a.Body, "# TYPE "+name+" ")
	}
	assert.Contains(t, a.Body, "\nonrush_more 7\n")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(a.Body))
	require.NoError(t, err, "Prometheus can read it")
	assert.Greater(t, len(families), 30)
}
