package mixin

// failedRequests prints which requests of an instance failed, and why.
const failedRequests = "journalctl -u onrush --since -10min | grep -E 'request (failed|not carried out)'"

// doctor checks the settings and the stores of the unit; without the file it would check embedded stores.
const doctor = "onrush doctor --env-file /etc/onrush/onrush.env"

// commands are what to type first when an alert fires, by its name; {{ $labels.x }} is a label of the alert.
var commands = map[string]string{
	"OnrushDown":                 "journalctl -u onrush -n 50",
	"OnrushGone":                 doctor,
	"OnrushStoreDown":            doctor,
	"OnrushMetricsMissing":       doctor,
	"OnrushRedisFull":            "onrush queue",
	"OnrushRedisReplicasLacking": doctor,
	"OnrushRedisEvicts":          doctor,
	"OnrushSQLUnconfirmed":       doctor,
	"OnrushPoolExhausted":        doctor,

	"OnrushSaleErrors":       failedRequests,
	"OnrushSaleSlow":         doctor,
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
	"OnrushGatewayAway":    doctor,
	"OnrushPaymentsStuck":  doctor,
	"OnrushRefundFailed":   "onrush refunds --status failed",
	"OnrushRefundsStuck":   "onrush refunds --status pending",

	"OnrushJobStands":  "onrush jobs runs {{ $labels.job_name }}",
	"OnrushClockWrong": doctor,
	"OnrushCopyOld":    doctor,

	"OnrushSalesStopped":     "onrush settings",
	"OnrushSalesLeftStopped": "onrush settings",
	"OnrushLimitsOff":        "onrush settings",
	"OnrushDegraded":         "onrush settings",
}
