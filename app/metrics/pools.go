package metrics

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
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
	poolTimeouts = prometheus.NewDesc("onrush_pool_timeouts_total",
		"How often a caller got no connection of a pool in time.", []string{"pool"}, nil)
)

// pools collects the use of the connections to the stores.
type pools struct {
	sql   map[string]*sql.DB
	redis redis.UniversalClient
}

// Pools returns a collector of pools of connections to SQL by name, and of those to Redis.
func Pools(sqlPools map[string]*sql.DB, rdb redis.UniversalClient) prometheus.Collector {
	return &pools{sqlPools, rdb}
}

// Describe implements prometheus.Collector.
func (p *pools) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{connections, connectionsMax, poolWaits, poolWaitSeconds, poolTimeouts} {
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
	const name = "redis"
	s := p.redis.PoolStats()
	gauge(connections, float64(s.IdleConns), name, "idle")
	gauge(connections, float64(s.TotalConns)-float64(s.IdleConns), name, "used")
	count(poolWaits, float64(s.WaitCount), name)
	count(poolWaitSeconds, float64(s.WaitDurationNs)/1e9, name)
	count(poolTimeouts, float64(s.Timeouts), name)
}
