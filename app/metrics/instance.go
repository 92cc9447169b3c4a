package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	storeUp = prometheus.NewDesc(
		"onrush_store_up",
		"1 if a store answers this instance and takes its writes, else 0.",
		[]string{"store"},
		nil,
	)
	buildInfo = prometheus.NewDesc(
		"onrush_build_info", "1, with the version of the program as a label.", []string{"version"}, nil)
	copyAge = prometheus.NewDesc("onrush_copy_age_seconds",
		"Age of what this instance knows of the stores without reading them for each request.", []string{"copy"}, nil)
)

// Instance reports the state of this instance: its version, the stores that it does not reach, and the ages of its
// copies.
func Instance(
	version string, unavailable func() []string, ages map[string]func() time.Duration,
) prometheus.Collector {
	return collect(func(g *gauges) {
		g.add(buildInfo, 1, version)
		down := map[string]bool{}
		for _, text := range unavailable() { // such as "sql: read-only"
			store, _, _ := strings.Cut(text, ":")
			down[store] = true
		}
		for _, store := range []string{"redis", "sql"} {
			g.add(storeUp, truth(!down[store]), store)
		}
		for name, age := range ages {
			g.add(copyAge, age().Seconds(), name)
		}
	})
}
