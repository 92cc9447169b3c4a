package mixin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// panel is a picture of the dashboard. JOB in an expression stands for the job that the reader chose.
type panel struct {
	title string
	unit  string            // of Grafana
	exprs map[string]string // by legend
	stat  bool              // one number instead of a graph
	alarm bool              // red unless it is 0
	width int               // of 24; default 8
}

// row is a row of panels with a title.
type row struct {
	title  string
	panels []panel
}

// JOB is replaced by the choice of the job.
func maxBy(by, metric string) string { return "max by (" + by + ") (" + metric + "{JOB})" }

func rateBy(by, metric string) string { return "sum by (" + by + ") (rate(" + metric + "{JOB}[1m]))" }

// quantiles returns the median and the 99th percentile of a histogram, which has the name of its metric and _bucket.
func quantiles(histogram, legend string) map[string]string {
	of := func(q string) string {
		return "histogram_quantile(" + q + ", " + rateBy("le", histogram+"_bucket") + ")"
	}
	return map[string]string{legend + "p50": of("0.5"), legend + "p99": of("0.99")}
}

// one is a panel of one expression.
func one(title, unit, legend, expr string) panel {
	return panel{title: title, unit: unit, exprs: map[string]string{legend: expr}}
}

// and adds an expression to a panel.
func (p panel) and(legend, expr string) panel {
	p.exprs[legend] = expr
	return p
}

// number is a panel of one number.
func number(title, expr string) panel {
	return panel{title: title, stat: true, width: 4, exprs: map[string]string{"": expr}}
}

// alarm is a panel of one number that should be 0.
func alarm(title, expr string) panel {
	p := number(title, expr)
	p.alarm = true
	return p
}

// defaults are the unit and the colours of a panel. Without thresholds, Grafana shows each number from 80 on in red.
func defaults(p panel) map[string]any {
	all := map[string]any{"unit": p.unit, "min": 0}
	if !p.stat {
		return all
	}
	steps := []map[string]any{{"color": "green", "value": nil}}
	if p.alarm {
		steps = append(steps, map[string]any{"color": "red", "value": 1})
	}
	all["thresholds"] = map[string]any{"mode": "absolute", "steps": steps}
	return all
}

// options are how a panel of its kind is drawn.
func options(p panel) map[string]any {
	type object = map[string]any
	if p.stat {
		return object{
			"colorMode": "value", "graphMode": "area", "justifyMode": "auto", "textMode": "auto", "orientation": "auto",
			"wideLayout": true, "showPercentChange": false, "percentChangeColorMode": "standard",
			"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		}
	}
	return object{
		"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
		"tooltip": object{"mode": "multi", "sort": "desc"},
	}
}

const requestSeconds = "http_server_request_duration_seconds"

var rows = []row{
	{"Now", []panel{
		number("Instances", "sum(up{JOB})"),
		number("Stores reached", "sum(min by (store) (onrush_store_up{JOB}))"),
		number("Orders accepted per second", acceptedRate+"{JOB}"),
		number("Orders that wait for SQL", "max(onrush_queue_length{JOB})"),
		alarm("Units of drift", "sum("+maxBy("activity", "onrush_sale_drift_units")+") or vector(0)"),
		alarm("Dead entries", "max(onrush_dead_entries{JOB})"),
	}},
	{"Sales", []panel{
		one("Units left", "", "{{activity}}", maxBy("activity", "onrush_sale_remaining_units")),
		one("Orders accepted", "reqps", "{{activity}}",
			"max by (activity) (rate(onrush_sale_orders_accepted_total{JOB}[1m]))"),
		one("Requests refused", "reqps", "{{activity}}",
			"max by (activity) (rate(onrush_sale_requests_refused_total{JOB}[1m]))"),
		one("Orders in SQL", "", "{{activity}} {{status}}", maxBy("activity, status", "onrush_sale_orders")),
		one("Refusals by gate", "reqps", "{{gate}} {{code}}", rateBy("gate, code", "onrush_refusals_total")),
		one("Open event streams", "", "{{instance}}", "onrush_streams_open{JOB}"),
	}},
	{"Settings of operators", []panel{
		one("Sales are stopped", "", "{{instance}}", "onrush_sales_stopped{JOB}"),
		one("Rate limits", "", "{{mode}}", maxBy("mode", "onrush_limits_mode")),
		one("What is turned off", "", "{{level}}", maxBy("level", "onrush_degrade_level")),
	}},
	{"Requests", []panel{
		one("Requests", "reqps", "{{status}}", rateBy("status", requestSeconds+"_count")),
		{title: "Durations", unit: "s", exprs: quantiles(requestSeconds, "")},
		one("p99 by route", "s", "{{route}}", routeP99+"{JOB}"),
		one("Requests that failed", "percentunit", "over 1 h", failedRatio(time.Hour)+"{JOB}"),
		one("p99 of submits, and of moving an order", "s", "submit", submitP99+"{JOB}").and("moving", movedP99+"{JOB}"),
		one("Left of the failures allowed in 30 days", "percentunit", "left", fmt.Sprintf(
			"1 - avg_over_time(%s{JOB}[30d]) / avg_over_time(%s{JOB}[30d]) / %g",
			failedRate, requestRate, errorBudget)),
	}},
	{"Placing and moving", []panel{
		one("Orders per call", "", "mean",
			"sum(rate(onrush_place_batch_orders_sum{JOB}[1m])) / sum(rate(onrush_place_batch_orders_count{JOB}[1m]))"),
		{title: "Placing an order", unit: "s", exprs: quantiles("onrush_place_duration_seconds", "")},
		{title: "One call of Redis", unit: "s", exprs: quantiles("onrush_place_call_duration_seconds", "")},
		one("Moved to SQL", "ops", "{{verdict}}", rateBy("verdict", "onrush_orders_moved_total")),
		{title: "From placing to SQL", unit: "s", exprs: quantiles("onrush_order_move_latency_seconds", "")},
		one("Queue by lane", "", "{{lane}}", maxBy("lane", "onrush_queue_orders")),
		one("Stock that is pending", "", "{{kind}}", maxBy("kind", "onrush_stock_pending")),
	}},
	{"Money", []panel{
		one("Notifications", "ops", "{{channel}} {{outcome}}",
			rateBy("channel, outcome", "onrush_payment_notifications_total")),
		one("Calls of gateways", "ops", "{{channel}} {{operation}} {{answered}}",
			rateBy("channel, operation, answered", "onrush_gateway_call_duration_seconds_count")),
		one("Refunds", "ops", "{{channel}} {{outcome}}", rateBy("channel, outcome", "onrush_refund_requests_total")),
		one("Gateways that rest", "", "{{channel}}", maxBy("channel", "onrush_gateway_resting")),
		one("Calls under way", "", "{{channel}}", "sum by (channel) (onrush_gateway_calls{JOB})"),
		{title: "What waits", exprs: map[string]string{
			"payments {{channel}}":       maxBy("channel", "onrush_payments_pending"),
			"refunds {{channel}}":        maxBy("channel", "onrush_refunds_pending"),
			"failed refunds {{channel}}": maxBy("channel", "onrush_refunds_failed"),
			"flags {{channel}}":          maxBy("channel", "onrush_payments_flagged"),
			"orders without their codes": "max(onrush_voucher_orders_waiting{JOB})",
		}},
		one("Events that endpoints have not got", "", "{{endpoint}}", maxBy("endpoint", "onrush_event_endpoint_lag")),
	}},
	{"Stores and program", []panel{
		one("Memory of Redis", "percentunit", "{{node}}",
			"max by (node) (onrush_redis_memory_used_bytes{JOB} / (onrush_redis_memory_max_bytes{JOB} > 0))"),
		one("Connections in use", "", "{{instance}} {{pool}}", `onrush_pool_connections{JOB,state="used"}`),
		one("Callers that wait for a connection", "", "{{instance}} {{pool}}",
			"rate(onrush_pool_wait_seconds_total{JOB}[1m])"),
		one("Since a job succeeded", "s", "{{job_name}}",
			"time() - "+maxBy("job_name", "onrush_job_last_success_timestamp_seconds")),
		one("Clock", "s", "{{instance}} {{machine}}", "abs(onrush_clock_offset_seconds{JOB})"),
		one("Processor", "percentunit", "{{instance}}", "rate(process_cpu_seconds_total{JOB}[1m])"),
		one("Memory", "bytes", "{{instance}}", "process_resident_memory_bytes{JOB}"),
	}},
}

// Dashboard returns the dashboard for Grafana.
func Dashboard() ([]byte, error) {
	type object = map[string]any
	source := object{"type": "prometheus", "uid": "${datasource}"}
	var panels []object
	y, id := 0, 0
	for _, r := range rows {
		id++
		panels = append(panels, object{
			"id": id, "type": "row", "title": r.title, "gridPos": object{"h": 1, "w": 24, "x": 0, "y": y},
			"collapsed": false, "panels": []any{},
		})
		y++
		x, height := 0, 8
		for _, p := range r.panels {
			width, kind := p.width, "timeseries"
			if width == 0 {
				width = 8
			}
			if p.stat {
				kind, height = "stat", 4
			}
			if x+width > 24 {
				x, y = 0, y+height
			}
			id++
			panels = append(panels, object{
				"id": id, "type": kind, "title": p.title, "description": meanings[p.title],
				"datasource": source, "targets": targets(p),
				"gridPos":     object{"h": height, "w": width, "x": x, "y": y},
				"fieldConfig": object{"defaults": defaults(p), "overrides": []any{}},
				"options":     options(p),
			})
			x += width
		}
		y += height
	}
	out, err := json.MarshalIndent(object{
		"title": "Onrush", "uid": "onrush", "schemaVersion": 39, "version": 1, "editable": true,
		"refresh": "5s", "time": object{"from": "now-30m", "to": "now"}, "timezone": "browser",
		"tags": []string{"onrush"}, "panels": panels, "annotations": object{"list": []any{}},
		"templating": object{"list": []object{
			{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
			{
				"name": "job", "type": "query", "label": "Job", "datasource": source, "refresh": 2,
				"query": "label_values(onrush_store_up, job)",
			},
		}},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the dashboard: %w", err)
	}
	return append(out, '\n'), nil
}

// targets returns the queries of a panel, sorted by their legends.
func targets(p panel) []map[string]any {
	var list []map[string]any
	for i, legend := range slices.Sorted(maps.Keys(p.exprs)) {
		list = append(list, map[string]any{
			"refId": string(rune('A' + i)), "expr": strings.ReplaceAll(p.exprs[legend], "JOB", `job="$job"`),
			"legendFormat": legend,
		})
	}
	return list
}
