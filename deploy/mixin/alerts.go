// Package mixin has the alert rules and the dashboard of Onrush for Prometheus and Grafana. They are written down here
// once; go generate writes alerts.yaml and dashboard.json from them, which is what to give to the two programs.
package mixin

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:generate go run ./generate

// Rule is an alert.
type Rule struct {
	Name string
	// Expr is in PromQL, over all instances of a job: each set of stores is scraped as a job of its own.
	Expr string
	// For is how long Expr holds before somebody is told.
	For      time.Duration
	Severity Severity
	// Summary describes the problem in one sentence; {{ $labels.x }} is a label of Expr.
	Summary string
	// Section is the heading of docs/operating/alerts.md that says what to do.
	Section string
}

// Severity says who is told.
type Severity string

// The severities.
const (
	Page   Severity = "page"   // somebody gets up
	Ticket Severity = "ticket" // somebody looks within a day
)

const (
	// errorBudget is the objective of the API: this part of the requests of 30 days may fail.
	errorBudget = 0.001
	// fewestFailed is how many requests fail before a burn rate counts: a few at night say nothing of the month.
	fewestFailed = 20
)

// Speed divides all times of the rules; tests use more than 1 to see in seconds what takes minutes.
type Speed int

// of writes a time in PromQL, at least 4 s, so that a range has several samples.
func (s Speed) of(d time.Duration) string {
	return write(max(d/time.Duration(s), min(d, 4*time.Second)))
}

// write writes a time as Prometheus reads it.
func write(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if d > 0 && d%unit.of == 0 {
			return fmt.Sprintf("%d%s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// seconds writes a time as a number of seconds.
func (s Speed) seconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", (d/time.Duration(s)).Seconds()), ".0")
}

// Rules returns the alerts.
func Rules(s Speed) []Rule {
	rules := slices.Concat(
		s.stores(), s.servers(), s.sales(), s.orders(), s.errors(), s.money(), s.instances(), s.settings(),
	)
	for i := range rules {
		rules[i].For /= time.Duration(s)
	}
	return rules
}

// The selectors of requests. Those that an operator turned off are left out: they are neither served nor failed.
const (
	apiRequests  = `route=~"/api/.*",error_type!="degraded"`
	saleRequests = `route=~"/api/v1/seckill/.*",error_type!="degraded"`
	answered5xx  = `,status=~"5.."`
	submitRoute  = "/api/v1/seckill/:path/submit"
)

// requests is how many requests came, by a function of PromQL over a time.
func (s Speed) requests(function, which string, over time.Duration) string {
	return fmt.Sprintf("sum by (job) (%s(http_server_request_duration_seconds_count{%s}[%s]))",
		function, which, s.of(over))
}

// failed is the part of the requests that was answered 5xx.
func (s Speed) failed(which string, over time.Duration) string {
	return s.requests("rate", which+answered5xx, over) + " / " + s.requests("rate", which, over)
}

// burn holds while requests fail rate times as often as the objective allows, over a long and a short time, and while
// fewestFailed failed over the long one.
func (s Speed) burn(rate float64, long, short time.Duration) string {
	most := fmt.Sprintf("%.4g", rate*errorBudget)
	return fmt.Sprintf("%s > %s\nand\n%s > %s\nand\n%s > %d", failedRatio(long), most, failedRatio(short), most,
		s.requests("increase", apiRequests+answered5xx, long), fewestFailed)
}

func (s Speed) sales() []Rule {
	return []Rule{
		{
			Name: "OnrushSaleErrors", For: 30 * time.Second, Severity: Page,
			Expr: s.failed(saleRequests, time.Minute) + " > 0.02\nand\n" +
				s.requests("rate", saleRequests, time.Minute) + " > 1",
			Summary: "More than 2 % of the requests to sales fail: {{ $value | humanizePercentage }}.",
			Section: "Requests to a sale fail",
		},
		{
			Name: "OnrushSaleSlow", For: time.Minute, Severity: Page,
			Expr:    submitP99 + " > 0.5",
			Summary: "One submit of 100 takes longer than {{ $value | humanizeDuration }}.",
			Section: "A sale is slow",
		},
		{
			Name: "OnrushSaleStandsStill", For: time.Minute, Severity: Page,
			Expr: `max by (job, activity) (rate(onrush_sale_requests_refused_total[` + s.of(time.Minute) + `])) > 1
and
max by (job, activity) (rate(onrush_sale_orders_accepted_total[` + s.of(time.Minute) + `])) == 0
and
max by (job, activity) (onrush_sale_remaining_units) > 0`,
			Summary: "Sale {{ $labels.activity }} has units left and refuses everybody.",
			Section: "A sale refuses everybody",
		},
		{
			Name: "OnrushOverloaded", For: 30 * time.Second, Severity: Page,
			Expr:    `sum by (job) (rate(onrush_refusals_total{code="overloaded"}[` + s.of(time.Minute) + `])) > 1`,
			Summary: "Buyers are told that too many orders wait, {{ $value | humanize }} times a second.",
			Section: "Buyers are told that the shop is overloaded",
		},
		{
			Name: "OnrushSaleDrift", Expr: `max by (job, activity) (onrush_sale_drift_units) > 0`, For: 2 * time.Minute,
			Severity: Page,
			Summary:  "The stock of sale {{ $labels.activity }} differs by {{ $value }} units between Redis and SQL.",
			Section:  "A sale drifts",
		},
	}
}

func (s Speed) orders() []Rule {
	return []Rule{
		{
			Name: "OnrushQueueStuck", For: time.Minute, Severity: Page,
			Expr: `max by (job, lane) (onrush_queue_oldest_age_seconds) > ` + s.seconds(30*time.Second) + `
or
max by (job, lane) (onrush_queue_unreadable) == 1`,
			Summary: "Lane {{ $labels.lane }} has orders that have waited for SQL for more than 30 seconds.",
			Section: "Orders don't get to SQL",
		},
		{
			Name: "OnrushDeadEntries", Expr: `max by (job) (onrush_dead_entries) > 0`, For: time.Minute, Severity: Page,
			Summary: "{{ $value }} orders can't be stored and wait for an operator.", Section: "Dead entries",
		},
		{
			Name: "OnrushStockPending", For: time.Minute, Severity: Ticket,
			Expr: `max by (job, kind) (onrush_stock_oldest_pending_age_seconds) > ` + s.seconds(5*time.Minute),
			Summary: "A {{ $labels.kind }} of stock has been pending for {{ $value | humanizeDuration }}, so its " +
				"units are not sold.",
			Section: "Units don't come back",
		},
		{
			Name: "OnrushVouchersWait", For: time.Minute, Severity: Ticket,
			Expr:    `max by (job) (onrush_voucher_orders_oldest_waiting_age_seconds) > ` + s.seconds(15*time.Minute),
			Summary: "A paid order has waited for a partner's codes for {{ $value | humanizeDuration }}.",
			Section: "Paid orders wait for codes",
		},
		{
			Name: "OnrushEndpointFails", For: time.Minute, Severity: Ticket,
			Expr: `max by (job, endpoint) (onrush_event_endpoint_failing_seconds) > ` + s.seconds(10*time.Minute) + `
or
max by (job, endpoint) (onrush_event_endpoint_disabled) == 1`,
			Summary: "The endpoint {{ $labels.endpoint }} takes no events.", Section: "An endpoint takes no events",
		},
	}
}

// up is 1 for each instance that Prometheus reaches, and 0 for each other one that it scrapes.
const up = `up{job=~".*onrush.*"}`

func (s Speed) stores() []Rule {
	return []Rule{
		{
			Name: "OnrushDown", Expr: up + " == 0", For: time.Minute, Severity: Page,
			Summary: "Prometheus can't reach the instance {{ $labels.instance }}.", Section: "An instance is gone",
		},
		{
			Name: "OnrushRestarts", Severity: Ticket,
			Expr: `changes(process_start_time_seconds{job=~".*onrush.*"}[` + s.of(30*time.Minute) + `]) >= 3`,
			Summary: "The instance {{ $labels.instance }} was started {{ $value }} times in half an hour: " +
				"it ends by itself, or is ended.",
			Section: "An instance starts again and again",
		},
		{
			Name: "OnrushGone", For: time.Minute, Severity: Page,
			Expr: `max by (job) (max_over_time(` + up + `[` + s.of(24*time.Hour) + `]))
unless
max by (job) (` + up + ` == 1)
or
absent(max_over_time(` + up + `[` + s.of(24*time.Hour) + `]))`,
			Summary: "No instance answers{{ with $labels.job }} in the job {{ . }}{{ end }}: " +
				"all are gone, or Prometheus no longer scrapes them.",
			Section: "All instances are gone",
		},
		{
			Name:     "OnrushStoreDown",
			Expr:     `min by (job, instance, store) (onrush_store_up) == 0`,
			For:      30 * time.Second,
			Severity: Page,
			Summary:  "{{ $labels.instance }} can't use {{ $labels.store }}: it is away, or takes no writes.",
			Section:  "A store is away",
		},
		{
			// A burst of a minute is in the rate for two.
			Name: "OnrushPoolExhausted", For: 3 * time.Minute, Severity: Ticket,
			Expr: `sum by (job, instance, pool) (rate(onrush_pool_wait_seconds_total[` + s.of(time.Minute) + `])) > 4`,
			Summary: "On average {{ $value | humanize }} callers of {{ $labels.instance }} wait for a connection " +
				"of the pool {{ $labels.pool }}.",
			Section: "Too few connections",
		},
		{
			Name: "OnrushMetricsMissing", For: 5 * time.Minute, Severity: Ticket,
			Expr: `min by (job, source) (onrush_metrics_source_up == 0
unless on (job, instance)
min by (job, instance) (onrush_store_up) == 0)`,
			Summary: "The figures of {{ $labels.source }} can't be read, so alerts on them are blind.",
			Section: "A store is away",
		},
	}
}

// servers are what Redis and SQL lack while they answer.
func (s Speed) servers() []Rule {
	// A failover changes the label node, so the replicas of all nodes that an instance sees are counted.
	const replicas = "max by (job) (sum by (job, instance) (onrush_redis_replicas))"
	return []Rule{
		{
			Name: "OnrushRedisFull", For: time.Minute, Severity: Page,
			Expr: `max by (job, node) (onrush_redis_memory_used_bytes / onrush_redis_memory_max_bytes) > 0.8
and
max by (job, node) (onrush_redis_memory_max_bytes) > 0`,
			Summary: "Redis {{ $labels.node }} uses {{ $value | humanizePercentage }} of its maxmemory; " +
				"at 90 % no order is placed.",
			Section: "Redis is full",
		},
		{
			Name: "OnrushRedisReplicasLacking", For: 30 * time.Second, Severity: Page,
			Expr: `max by (job, node) (onrush_redis_replicas_lacking) > 0`,
			Summary: "Redis {{ $labels.node }} has {{ $value }} replicas fewer than each order waits for, so none is " +
				"placed there.",
			Section: "Redis has too few replicas",
		},
		{
			Name: "OnrushRedisReplicaLost", For: 5 * time.Minute, Severity: Ticket,
			Expr: replicas + "\n< max_over_time((" + replicas + ")[" + s.of(24*time.Hour) + ":" +
				s.of(time.Minute) + "])",
			Summary: "Redis has {{ $value }} replicas, fewer than in the last 24 hours: " +
				"another failure may stop sales or lose orders.",
			Section: "Redis lost a replica",
		},
		{
			Name:     "OnrushRedisEvicts",
			Expr:     `max by (job, node) (onrush_redis_evicts) == 1`,
			Severity: Page,
			Summary:  "Redis {{ $labels.node }} may evict orders, so no order is placed.",
			Section:  "Redis may evict orders",
		},
		{
			Name: "OnrushSQLUnconfirmed", For: time.Minute, Severity: Ticket,
			Expr: `min by (job) (onrush_sql_commits_confirmed) == 0`,
			Summary: "SQL commits without a replica: if the primary fails now, stored orders and payments are lost. " +
				"onrush doctor says how to end that.",
			Section: "SQL commits without its replica",
		},
	}
}

func (s Speed) errors() []Rule {
	return []Rule{
		{
			Name:     "OnrushErrorsBurnFast",
			Expr:     s.burn(14.4, time.Hour, 5*time.Minute),
			For:      2 * time.Minute,
			Severity: Page,
			Summary:  "Requests fail so often that the errors allowed for a month are used up in two days.",
			Section:  "Requests fail",
		},
		{
			Name: "OnrushErrorsBurnSlowly", Expr: s.burn(6, 6*time.Hour, 30*time.Minute), For: 15 * time.Minute,
			Severity: Ticket,
			Summary:  "Requests fail so often that the errors allowed for a month are used up in five days.",
			Section:  "Requests fail",
		},
	}
}

func (s Speed) money() []Rule {
	return []Rule{
		{
			Name:     "OnrushPaymentFlagged",
			Expr:     `max by (job, channel) (onrush_payments_flagged) > 0`,
			Severity: Ticket,
			Summary:  "{{ $value }} payments of {{ $labels.channel }} wait for an operator.",
			Section:  "A payment is flagged",
		},
		{
			Name: "OnrushGatewayAway", For: time.Minute, Severity: Page,
			Expr: s.unanswered(time.Minute),
			Summary: "{{ $labels.channel }} leaves {{ $value | humanizePercentage }} of the calls of " +
				"{{ $labels.operation }} without an answer.",
			Section: "A gateway doesn't answer",
		},
		{
			Name: "OnrushPaymentsStuck", For: time.Minute, Severity: Page,
			Expr: `max by (job, channel) (onrush_payments_overdue_seconds) > ` + s.seconds(3*time.Minute),
			Summary: "A payment of {{ $labels.channel }} is pending, and its time to pay has been over for " +
				"{{ $value | humanizeDuration }}.",
			Section: "A gateway doesn't answer",
		},
		{
			Name: "OnrushRefundFailed", Expr: `max by (job, channel) (onrush_refunds_failed) > 0`, Severity: Ticket,
			Summary: "{{ $labels.channel }} has refused {{ $value }} refunds for good.", Section: "A refund failed",
		},
		{
			Name: "OnrushRefundsStuck", For: 10 * time.Minute, Severity: Ticket,
			Expr:    `max by (job, channel) (onrush_refunds_oldest_pending_age_seconds) > ` + s.seconds(24*time.Hour),
			Summary: "A refund by {{ $labels.channel }} has been pending for {{ $value | humanizeDuration }}.",
			Section: "A refund waits",
		},
	}
}

func (s Speed) instances() []Rule {
	return []Rule{
		{
			// A job that runs once a minute has not succeeded right after all instances were down for long.
			Name: "OnrushJobStands", For: 2 * time.Minute, Severity: Ticket,
			Expr: `time() - max by (job, job_name) (onrush_job_last_success_timestamp_seconds) > ` +
				s.seconds(5*time.Minute),
			Summary: "The job {{ $labels.job_name }} has not succeeded for {{ $value | humanizeDuration }}.",
			Section: "A job fails",
		},
		{
			Name: "OnrushClockWrong", For: time.Minute, Severity: Ticket,
			Expr: `max by (job, instance, machine) (abs(onrush_clock_offset_seconds{machine="instance"})) > 2
or
max by (job, machine) (abs(onrush_clock_offset_seconds{machine!="instance"})) > 2`,
			Summary: "The clock of {{ $labels.machine }}{{ with $labels.instance }} {{ . }}{{ end }} is wrong by " +
				"{{ $value | humanizeDuration }}.",
			Section: "A clock is wrong",
		},
		{
			Name:     "OnrushCopyOld",
			For:      time.Minute,
			Severity: Ticket,
			Expr: `max by (job, instance, copy) (onrush_copy_age_seconds{copy=~"blocked|settings"}) > ` + s.seconds(
				time.Minute,
			) + `
or
max by (job, instance, copy) (onrush_copy_age_seconds{copy="token_keys"}) > ` + s.seconds(
				30*time.Minute,
			),
			Summary: "{{ $labels.instance }} works with a copy of {{ $labels.copy }} that is " +
				"{{ $value | humanizeDuration }} old.",
			Section: "An instance works with old copies",
		},
	}
}

func (s Speed) settings() []Rule {
	return []Rule{
		{
			Name: "OnrushSalesStopped", For: 5 * time.Minute, Severity: Page,
			Expr: `max by (job) (onrush_sales_stopped) == 1
and
max by (job) (onrush_sale_remaining_units) > 0`,
			Summary: "All sales are stopped while one of them has units left.",
			Section: "All sales are stopped",
		},
		{
			Name: "OnrushSalesLeftStopped", Expr: `max by (job) (onrush_sales_stopped) == 1`, For: 30 * time.Minute,
			Severity: Ticket,
			Summary:  "All sales have been stopped for half an hour, so the next one will sell nothing.",
			Section:  "All sales are stopped",
		},
		{
			Name: "OnrushLimitsOff", For: 10 * time.Minute, Severity: Ticket,
			Expr:    `max by (job, mode) (onrush_limits_mode{mode!="on"}) == 1`,
			Summary: "The rate limits of buyers refuse nothing: their mode is {{ $labels.mode }}.",
			Section: "Rate limits are off",
		},
		{
			Name: "OnrushDegraded", For: 30 * time.Minute, Severity: Ticket,
			Expr:    `max by (job, level) (onrush_degrade_level{level!="full"}) == 1`,
			Summary: "A part of the API has been turned off for half an hour: the level is {{ $labels.level }}.",
			Section: "A part of the API is turned off",
		},
	}
}

// unanswered is the part of the calls of each gateway and operation that it did not answer, if these are more than
// half, and more than a few.
func (s Speed) unanswered(d time.Duration) string {
	const by, calls = `sum by (job, channel, operation) `, `(onrush_gateway_call_duration_seconds_count`
	return fmt.Sprintf(`%s(rate%s{answered!="yes"}[%s])) / %[1]s(rate%[2]s[%[3]s])) > 0.5 and `+
		`%[1]s(increase%[2]s{answered!="yes"}[%[3]s])) > 3`, by, calls, s.of(d))
}
