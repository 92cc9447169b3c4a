package mixin

import (
	"fmt"
	"time"
)

// Record is a series that Prometheus computes at each evaluation and keeps, so that alerts and the dashboard need not
// read the raw series of hours or of a month. Its name has the labels that it keeps, what it counts, and how.
type Record struct {
	Name string
	Expr string
}

// records of the dashboard.
const (
	acceptedRate = "job:onrush_orders_accepted:rate1m"
	routeP99     = "job_route:onrush_request_seconds:p99_1m"
	submitP99    = "job:onrush_submit_seconds:p99_1m"
	movedP99     = "job:onrush_order_move_seconds:p99_1m"
	requestRate  = "job:onrush_api_requests:rate5m"
	failedRate   = "job:onrush_api_failed:rate5m" // 0 where none failed
)

// failedRatio is the name of the part of the API's requests that was answered 5xx over a time.
func failedRatio(over time.Duration) string { return "job:onrush_api_failed:ratio_rate" + write(over) }

// Records returns the series that the alerts and the dashboard read. They come before the alerts in their group, since
// Prometheus evaluates the rules of a group one after the other.
func Records(s Speed) []Record {
	var records []Record
	for _, over := range []time.Duration{5 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour} {
		records = append(records, Record{failedRatio(over), s.failed(apiRequests, over)})
	}
	p99 := func(by, histogram, which string) string {
		return fmt.Sprintf("histogram_quantile(0.99, sum by (%s, le) (rate(%s_bucket%s[%s])))",
			by, histogram, which, s.of(time.Minute))
	}
	return append(records,
		Record{requestRate, s.requests("rate", apiRequests, 5*time.Minute)},
		Record{failedRate, s.requests("rate", apiRequests+answered5xx, 5*time.Minute) + " or 0 * " + requestRate},
		Record{acceptedRate, "sum by (job) (rate(onrush_orders_accepted_total[" + s.of(time.Minute) + "]))"},
		Record{submitP99, p99("job", requestSeconds, `{route="`+submitRoute+`"}`)},
		Record{routeP99, p99("job, route", requestSeconds, "")},
		Record{movedP99, p99("job", "onrush_order_move_latency_seconds", "")},
	)
}
