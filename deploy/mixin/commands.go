package mixin

// failedRequests prints which requests of an instance failed, and why.
const failedRequests = "journalctl -u onrush --since -10min | grep -E 'request (failed|not carried out)'"

// commands are what to type first when an alert fires, by its name; {{ $labels.x }} is a label of the alert.
var commands = map[string]string{
	"OnrushDown":                 "journalctl -u onrush -n 50",
	"OnrushGone":                 "onrush doctor",
	"OnrushStoreDown":            "onrush doctor",
	"OnrushMetricsMissing":       "onrush doctor",
	"OnrushRedisFull":            "onrush queue",
	"OnrushRedisReplicasLacking": "onrush doctor",
	"OnrushRedisEvicts":          "onrush doctor",
	"OnrushSQLUnconfirmed":       "onrush doctor",
	"OnrushPoolExhausted":        "onrush doctor",

	"OnrushSaleErrors":       failedRequests,
	"OnrushSaleSlow":         "onrush doctor",
	"OnrushSaleStandsStill":  "onrush activities show {{ $labels.activity }}",
	"OnrushOverloaded":       "onrush queue",
	"OnrushSaleDrift":        "onrush audit {{ $labels.activity }}",
	"OnrushErrorsBurnFast":   failedRequests,
	"OnrushErrorsBurnSlowly": failedRequests,

	"OnrushQueueStuck":    "onrush queue",
	"OnrushDeadEntries":   "onrush dead list",
	"OnrushStockPending":  "onrush jobs runs settle_stock",
	"OnrushVouchersWait":  "onrush vouchers list --waiting",
	"OnrushEndpointFails": "onrush endpoints deliveries {{ $labels.endpoint }}",

	"OnrushPaymentFlagged": "onrush refunds",
	"OnrushGatewayAway":    "onrush doctor",
	"OnrushPaymentsStuck":  "onrush doctor",
	"OnrushRefundFailed":   "onrush refunds --status failed",
	"OnrushRefundsStuck":   "onrush refunds --status pending",

	"OnrushJobStands":  "onrush jobs runs {{ $labels.job_name }}",
	"OnrushClockWrong": "onrush doctor",
	"OnrushCopyOld":    "onrush doctor",

	"OnrushSalesStopped":     "onrush settings",
	"OnrushSalesLeftStopped": "onrush settings",
	"OnrushLimitsOff":        "onrush settings",
	"OnrushDegraded":         "onrush settings",
}
