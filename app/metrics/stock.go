package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	ordercounts "onrush/modules/order/counts"
)

var (
	stockPending = prometheus.NewDesc("onrush_stock_pending",
		"Returns, confirms and changes of stock that SQL has decided and Redis not yet carried out; up to 10,000.",
		[]string{"kind"}, nil)
	stockOldest = prometheus.NewDesc("onrush_stock_oldest_pending_age_seconds",
		"Age of the oldest return, confirm or change of stock that is pending.", []string{"kind"}, nil)
)

// Stock reads what SQL has decided of the stock and Redis must still carry out.
func Stock(read func(ctx context.Context) ([]ordercounts.Pending, error), now func() time.Time) Source {
	return Source{"stock", func(ctx context.Context) ([]prometheus.Metric, error) {
		pending, err := read(ctx)
		if err != nil {
			return nil, err
		}
		var g gauges
		for _, p := range pending {
			g.add(stockPending, float64(p.Rows), p.Kind)
			g.add(stockOldest, max(now().Sub(time.UnixMilli(p.OldestMS)), 0).Seconds(), p.Kind)
		}
		return g, nil
	}}
}
