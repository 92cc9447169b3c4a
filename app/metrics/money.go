package metrics

import (
	"context"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	payadmin "onrush/modules/pay/admin"
)

var (
	paymentsPending = prometheus.NewDesc("onrush_payments_pending", "Payments that are pending; counted up to 10,000.",
		[]string{"channel"}, nil)
	paymentsOverdue = prometheus.NewDesc("onrush_payments_overdue_seconds",
		"How long the time to pay of the pending payment that ended first has been over.", []string{"channel"}, nil)
	paymentsFlagged = prometheus.NewDesc("onrush_payments_flagged", "Payments with a flag, which wait for an operator.",
		[]string{"channel"}, nil)
	refundsPending = prometheus.NewDesc("onrush_refunds_pending", "Refunds that are pending; counted up to 10,000.",
		[]string{"channel"}, nil)
	refundsOldest = prometheus.NewDesc("onrush_refunds_oldest_pending_age_seconds", "Age of the oldest pending refund.",
		[]string{"channel"}, nil)
	refundsFailed = prometheus.NewDesc("onrush_refunds_failed", "Refunds that were given up and wait for an operator.",
		[]string{"channel"}, nil)
)

// Money reads the payments and refunds that wait. channels are the channels that are on: their figures are reported
// even if they are 0.
func Money(of *payadmin.Service, channels []string) Source {
	return Source{"money", func(ctx context.Context) ([]prometheus.Metric, error) {
		backlog, err := of.Backlog(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range channels {
			if backlog[name] == nil {
				backlog[name] = &payadmin.Backlog{}
			}
		}
		var g gauges
		for _, channel := range slices.Sorted(maps.Keys(backlog)) {
			s := backlog[channel]
			g.add(paymentsPending, float64(s.Payments), channel)
			g.add(paymentsOverdue, s.OverduePayment.Seconds(), channel)
			g.add(paymentsFlagged, float64(s.FlaggedPayments), channel)
			g.add(refundsPending, float64(s.Refunds), channel)
			g.add(refundsOldest, s.OldestRefund.Seconds(), channel)
			g.add(refundsFailed, float64(s.FailedRefunds), channel)
		}
		return g, nil
	}}
}
