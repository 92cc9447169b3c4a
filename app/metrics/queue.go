package metrics

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/order/queue"
)

var (
	queueOrders = prometheus.NewDesc(
		"onrush_queue_orders",
		"Orders that wait to be stored in SQL, in a lane that has any.",
		[]string{"lane"},
		nil,
	)
	queueOldest = prometheus.NewDesc("onrush_queue_oldest_age_seconds",
		"Age of the oldest order that waits to be stored in SQL, in a lane that has any.", []string{"lane"}, nil)
	queueLength = prometheus.NewDesc(
		"onrush_queue_length",
		"Orders that wait to be stored in SQL, in all lanes.",
		nil,
		nil,
	)
	queueNewer = prometheus.NewDesc("onrush_queue_newer_record",
		"1 for a lane whose next order only a newer version of the program can read.", []string{"lane"}, nil)
	queueUnreadable = prometheus.NewDesc("onrush_queue_unreadable",
		"1 for a lane whose queue or dead entries can't be read, since their key in Redis has another type.",
		[]string{"lane"}, nil)
	deadEntries = prometheus.NewDesc(
		"onrush_dead_entries",
		"Queue entries that can't be stored and wait for an operator.",
		nil,
		nil,
	)
	deadOldest = prometheus.NewDesc(
		"onrush_dead_oldest_age_seconds",
		"Age of the oldest dead entry; 0 if there is none.",
		nil,
		nil,
	)
)

// Queue reads the lanes' queues.
func Queue(of *queue.Inspector) Source {
	return Source{"queue", func(ctx context.Context) ([]prometheus.Metric, error) {
		lanes, err := of.Lanes(ctx)
		if err != nil {
			return nil, err
		}
		var g gauges
		var length, dead, oldestDead int64
		for _, l := range lanes {
			length, dead, oldestDead = length+l.Length, dead+l.Dead, max(oldestDead, l.OldestDeadMS)
			lane := strconv.Itoa(l.Lane)
			if l.Length > 0 {
				g.add(queueOrders, float64(l.Length), lane)
				g.add(queueOldest, float64(l.OldestMS)/1000, lane)
			}
			if l.Unreadable {
				g.add(queueUnreadable, 1, lane)
			}
			if l.NewerRecords {
				g.add(queueNewer, 1, lane)
			}
		}
		g.add(queueLength, float64(length))
		g.add(deadEntries, float64(dead))
		g.add(deadOldest, float64(oldestDead)/1000)
		return g, nil
	}}
}
