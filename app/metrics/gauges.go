package metrics

import "github.com/prometheus/client_golang/prometheus"

// gauges builds metrics, most of them gauges.
type gauges []prometheus.Metric

func (g *gauges) count(d *prometheus.Desc, value float64, labels ...string) {
	*g = append(*g, prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...))
}

func (g *gauges) add(d *prometheus.Desc, value float64, labels ...string) {
	*g = append(*g, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// collect is a collector of gauges that are made when they are asked for.
type collect func(g *gauges)

// Describe implements prometheus.Collector. It sends no descriptions: the gauges depend on the state.
func (collect) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collect) Collect(metrics chan<- prometheus.Metric) {
	var g gauges
	c(&g)
	for _, m := range g {
		metrics <- m
	}
}
