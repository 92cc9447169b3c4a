package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// unwatched are the metrics of Go and of the process that neither an alert nor the dashboard reads.
var unwatched = []string{
	"go_gc_duration_seconds", "go_sched_gomaxprocs_threads", "go_threads", "process_network_receive_bytes_total",
	"process_network_transmit_bytes_total", "process_virtual_memory_bytes", "process_virtual_memory_max_bytes",
}

// Program returns the metrics of Go and of the process, without those that nobody reads.
func Program() []prometheus.Collector {
	return []prometheus.Collector{
		watched{collectors.NewGoCollector(collectors.WithGoCollectorMemStatsMetricsDisabled())},
		watched{collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})},
	}
}

// watched is a collector without the metrics that are unwatched.
type watched struct{ prometheus.Collector }

// Describe implements prometheus.Collector.
func (w watched) Describe(descs chan<- *prometheus.Desc) {
	pass(w.Collector.Describe, descs, func(d *prometheus.Desc) *prometheus.Desc { return d })
}

// Collect implements prometheus.Collector.
func (w watched) Collect(metrics chan<- prometheus.Metric) {
	pass(w.Collector.Collect, metrics, prometheus.Metric.Desc)
}

// pass sends on what from sends, if its description is not of an unwatched metric.
func pass[T any](from func(chan<- T), to chan<- T, desc func(T) *prometheus.Desc) {
	all := make(chan T)
	go func() {
		defer close(all)
		from(all)
	}()
	for one := range all {
		if !isUnwatched(desc(one).String()) {
			to <- one
		}
	}
}

func isUnwatched(desc string) bool {
	for _, name := range unwatched {
		if strings.HasPrefix(desc, `Desc{fqName: "`+name+`"`) {
			return true
		}
	}
	return false
}
