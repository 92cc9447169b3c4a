package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"onrush/modules/redisdb"
)

var (
	redisUsed = prometheus.NewDesc("onrush_redis_memory_used_bytes",
		"Memory of a Redis node that counts against its maxmemory.", []string{"node"}, nil)
	redisMax = prometheus.NewDesc("onrush_redis_memory_max_bytes", "maxmemory of a Redis node; 0 if it has none.",
		[]string{"node"}, nil)
	redisEvicts = prometheus.NewDesc("onrush_redis_evicts",
		"1 if a Redis node may evict orders, so that no order is placed, else 0.", []string{"node"}, nil)
	redisReplicas = prometheus.NewDesc("onrush_redis_replicas",
		"Replicas of a Redis node that are connected and have what it had a moment ago.", []string{"node"}, nil)
	redisLacks = prometheus.NewDesc("onrush_redis_replicas_lacking",
		"How many more replicas a Redis node needs, so that orders are placed: those of ONRUSH_REDIS_REPLICAS less "+
			"those that are connected.", []string{"node"}, nil)
)

// Memory reads the memory of the Redis nodes that have lanes, how many replicas they have, and how many they lack if
// orders wait for some.
// keys returns a key of each lane.
func Memory(rdb redis.UniversalClient, keys func(context.Context) []string, replicas int) Source {
	return Source{"redis", func(ctx context.Context) ([]prometheus.Metric, error) {
		nodes, err := redisdb.NodesOf(ctx, rdb, keys(ctx))
		if err != nil {
			return nil, err
		}
		var g gauges
		for _, node := range nodes {
			m, err := node.Memory(ctx)
			if err != nil {
				return nil, err
			}
			g.add(redisUsed, float64(m.Used), node.Addr)
			g.add(redisMax, float64(m.Max), node.Addr)
			g.add(redisEvicts, truth(m.Evicts()), node.Addr)
			has, err := node.Replication(ctx)
			if err != nil {
				return nil, err
			}
			if !has.Known {
				continue
			}
			g.add(redisReplicas, float64(has.Replicas), node.Addr)
			if replicas > 0 {
				g.add(redisLacks, float64(max(replicas-has.Replicas, 0)), node.Addr)
			}
		}
		return g, nil
	}}
}
