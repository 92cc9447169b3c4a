package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/modules/order/vouchers"
)

var (
	codesWaiting = prometheus.NewDesc("onrush_voucher_orders_waiting",
		"Paid orders that wait for a partner's codes; counted over up to 10,000 vouchers.", nil, nil)
	codesOldest = prometheus.NewDesc("onrush_voucher_orders_oldest_waiting_age_seconds",
		"For how long the first of the paid orders has waited for a partner's codes; 0 if none waits.", nil, nil)
)

// Vouchers reads the paid orders that wait for codes.
func Vouchers(of *vouchers.Service) Source {
	return Source{"vouchers", func(ctx context.Context) ([]prometheus.Metric, error) {
		waiting, err := of.Waiting(ctx)
		if err != nil {
			return nil, err
		}
		var g gauges
		g.add(codesWaiting, float64(waiting.Orders))
		g.add(codesOldest, waiting.Oldest.Seconds())
		return g, nil
	}}
}
