package metrics

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"onrush/modules/sqldb"
)

// OpenTelemetry would call the first two db_client_connection_count and …_max. The conventions of Prometheus keep the
// suffix _count for histograms and summaries, so they have names of this program, as the others here.
var (
	connections = prometheus.NewDesc("onrush_pool_connections",
		"Connections of a pool, by their state: idle or used.", []string{"pool", "state"}, nil)
	connectionsMax = prometheus.NewDesc("onrush_pool_connections_max",
		"Connections that a pool may have.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc("onrush_pool_waits_total",
		"How often a caller waited for a connection of a pool.", []string{"pool"}, nil)
	poolWaitSeconds = prometheus.NewDesc("onrush_pool_wait_seconds_total",
		"How long all callers waited for connections of a pool.", []string{"pool"}, nil)
	lockedOwners = prometheus.NewDesc("onrush_locked_owners",
		"Owners of rows, such as sales, whose work waits, since another transaction had locked the rows when jobs and "+
			"movers of this instance last tried.", []string{"rows"}, nil)
	poolTimeouts = prometheus.NewDesc("onrush_pool_timeouts_total",
		"How often a caller got no connection of a pool in time.", []string{"pool"}, nil)
)

// pools collects the use of the connections to the stores.
type pools struct {
	sql   map[string]*sql.DB
	redis redis.UniversalClient
	busy  *sqldb.Busy
}

// Pools returns a collector of the pools of connections to SQL, by name, of the pools to Redis, and of the rows that
// movers and jobs found locked.
func Pools(sqlPools map[string]*sql.DB, rdb redis.UniversalClient, busy *sqldb.Busy) prometheus.Collector {
	return &pools{sqlPools, rdb, busy}
}

// Describe implements prometheus.Collector.
func (p *pools) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		connections, connectionsMax, poolWaits, poolWaitSeconds, poolTimeouts, lockedOwners,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (p *pools) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	count := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
	}
	for name, db := range p.sql {
		s := db.Stats()
		gauge(connections, float64(s.Idle), name, "idle")
		gauge(connections, float64(s.InUse), name, "used")
		gauge(connectionsMax, float64(s.MaxOpenConnections), name)
		count(poolWaits, float64(s.WaitCount), name)
		count(poolWaitSeconds, s.WaitDuration.Seconds(), name)
	}
	for kind, owners := range p.busy.Counts() {
		gauge(lockedOwners, float64(owners), kind)
	}
	const name = "redis"
	s := p.redis.PoolStats()
	gauge(connections, float64(s.IdleConns), name, "idle")
	gauge(connections, float64(s.TotalConns)-float64(s.IdleConns), name, "used")
	count(poolWaits, float64(s.WaitCount), name)
	count(poolWaitSeconds, float64(s.WaitDurationNs)/1e9, name)
	count(poolTimeouts, float64(s.Timeouts), name)
}
