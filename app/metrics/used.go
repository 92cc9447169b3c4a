package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Used gathers what from has, without the histograms that have not observed anything yet: each is a dozen series that
// say nothing, and no alert waits for their first value. Counters and gauges are there from the start.
func Used(from prometheus.Gatherer) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := from.Gather()
		return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool {
			return f.GetType() == dto.MetricType_HISTOGRAM && !slices.ContainsFunc(f.GetMetric(), observed)
		}), err
	})
}

func observed(m *dto.Metric) bool { return m.GetHistogram().GetSampleCount() > 0 }
