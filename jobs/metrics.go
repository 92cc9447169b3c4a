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
			Help: "When a run of a job last succeeded, as seconds since 1970: on this instance, or before it started " +
				"on any; if none did, when it started.",
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
	m.success.WithLabelValues(job).Set(seconds(now))
}

// begin gives each job the time at which the instance starts, so that a job that never succeeds has a series.
func (m *metrics) begin(list []*scheduled, now time.Time) {
	for _, j := range list {
		m.success.WithLabelValues(j.Name).Set(seconds(now))
	}
}

// remember takes over when runs last succeeded before this instance started. A time in the future was written by an
// instance whose clock was ahead.
func (m *metrics) remember(succeeded map[string]time.Time, now time.Time) {
	for job, at := range succeeded {
		if at.Before(now) {
			m.success.WithLabelValues(job).Set(seconds(at))
		}
	}
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

// Metrics returns the runs of the jobs on this instance.
func (s *Scheduler) Metrics() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.runs, s.metrics.seconds, s.metrics.success}
}
