package jobs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the runs of the jobs on this instance.
type metrics struct {
	runs    *prometheus.CounterVec
	seconds *prometheus.CounterVec
	success *prometheus.GaugeVec
}

func newMetrics() *metrics {
	return &metrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onrush_job_runs_total", Help: "Runs of a job on this instance, by their state: done or failed.",
		}, []string{"job_name", "state"}),
		seconds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onrush_job_run_seconds_total", Help: "Durations of all runs of a job on this instance.",
		}, []string{"job_name"}),
		success: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "onrush_job_last_success_timestamp_seconds",
			Help: "When this instance last finished a run of a job, as seconds since 1970.",
		}, []string{"job_name"}),
	}
}

// ran counts a run that has ended.
func (m *metrics) ran(job string, began, now time.Time, err error) {
	m.seconds.WithLabelValues(job).Add(max(now.Sub(began), 0).Seconds())
	if err != nil {
		m.runs.WithLabelValues(job, string(Failed)).Inc()
		return
	}
	m.runs.WithLabelValues(job, string(Done)).Inc()
	m.success.WithLabelValues(job).Set(float64(now.UnixMilli()) / 1000)
}

// Metrics returns the runs of the jobs on this instance.
func (s *Scheduler) Metrics() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.runs, s.metrics.seconds, s.metrics.success}
}
