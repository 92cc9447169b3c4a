package metrics

import (
	"context"
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

var sqlConfirmed = prometheus.NewDesc("onrush_sql_commits_confirmed",
	"1 if commits of SQL wait for a replica (semi-synchronous replication), 0 if the server is set up for that and "+
		"they don't, so that its failure would lose some.", nil, nil)

// Confirmed reads whether commits wait for a replica, where the server is set up for it.
func Confirmed(db *sqldb.DB) Source {
	return Source{"replication", func(ctx context.Context) ([]prometheus.Metric, error) {
		semi, err := db.ReadSemiSync(ctx)
		if err != nil || !semi.SetUp {
			return nil, err
		}
		var g gauges
		g.add(sqlConfirmed, truth(semi.Waits))
		return g, nil
	}}
}
