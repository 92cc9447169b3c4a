package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/sqldb"
)

type replica struct{ of *sqldb.Replica }

// Replica returns a collector of the reads of a replica of SQL.
func Replica(of *sqldb.Replica) prometheus.Collector { return replica{of} }

var replicaReads = prometheus.NewDesc("onrush_sql_replica_reads_total",
	"Reads for which the replica was asked: read there, or at the primary since the replica was behind or away.",
	[]string{"outcome"}, nil)

// Describe implements prometheus.Collector.
func (replica) Describe(descs chan<- *prometheus.Desc) { descs <- replicaReads }

// Collect implements prometheus.Collector.
func (r replica) Collect(metrics chan<- prometheus.Metric) {
	for outcome, n := range map[string]*atomic.Int64{
		"read": &r.of.Read, "behind": &r.of.Behind, "away": &r.of.Away,
	} {
		metrics <- prometheus.MustNewConstMetric(replicaReads, prometheus.CounterValue, float64(n.Load()), outcome)
	}
}
