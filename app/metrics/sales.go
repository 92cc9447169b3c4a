package metrics

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/seckill/admin"
)

var (
	saleAccepted = prometheus.NewDesc("onrush_sale_orders_accepted_total",
		"Orders that a sale has accepted since it began, without replays.", []string{"activity"}, nil)
	saleRefused = prometheus.NewDesc("onrush_sale_requests_refused_total",
		"Paths and submits that a sale has refused since it began.", []string{"activity"}, nil)
	saleRemaining = prometheus.NewDesc("onrush_sale_remaining_units", "Units of a sale that Redis has left.",
		[]string{"activity"}, nil)
	saleOrders = prometheus.NewDesc("onrush_sale_orders", "Orders of a sale in SQL, by their status.",
		[]string{"activity", "status"}, nil)
	saleDrift = prometheus.NewDesc("onrush_sale_drift_units",
		"Units by which the stock of a sale in Redis and SQL differs, as the job audit last found on this instance.",
		[]string{"activity"}, nil)
)

// maxSales bounds the sales that have metrics.
const maxSales = 100

// Sales reports the last figures of the sales that run, which are in memory, and the drifts of audits.
func Sales(latest func() map[string]admin.HistoryPoint, drifts func() map[string]int64) prometheus.Collector {
	return collect(func(g *gauges) {
		points := latest()
		for _, activity := range slices.Sorted(maps.Keys(points)) {
			p := points[activity]
			if live := p.LiveFigures; live != nil {
				g.count(saleAccepted, float64(live.Accepted), activity)
				g.count(saleRefused, float64(live.Refused), activity)
				if live.Remaining != nil {
					g.add(saleRemaining, float64(*live.Remaining), activity)
				}
			}
			if stored := p.StoredFigures; stored != nil {
				g.add(saleOrders, float64(stored.Unpaid), activity, "unpaid")
				g.add(saleOrders, float64(stored.Paid), activity, "paid")
				g.add(saleOrders, float64(stored.Cancelled), activity, "cancelled")
			}
		}
		found := drifts()
		maps.DeleteFunc(found, func(activity string, units int64) bool {
			_, runs := points[activity]
			return units == 0 && !runs
		})
		activities := slices.SortedFunc(
			maps.Keys(found),
			func(a, b string) int { return int(min(found[b]-found[a], 1)) },
		)
		for _, activity := range activities[:min(len(activities), maxSales)] {
			g.add(saleDrift, float64(found[activity]), activity)
		}
	})
}
