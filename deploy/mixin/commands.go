package mixin

// failedRequests prints which requests of an instance failed, and why. Requests that fail because a store is away
// have no lines of their own: the outage has one line, and the log counts the answers.
const failedRequests = "journalctl -u onrush --since -10min | grep -E '" + failures + "'"

// failures matches lines of the log in both of its forms.
const failures = `request (failed|not carried out)|store is unavailable|requests refused.*status"?[=:]5`

// doctor checks the settings and the stores of the unit; without the file it would check embedded stores.
const doctor = "onrush doctor --env-file /etc/onrush/onrush.env"

// settings prints the settings, and who changed them last.
const settings = "onrush settings; onrush changes --on settings --limit 5"

// commands are what to type first when an alert fires, by its name; {{ $labels.x }} is a label of the alert.
var commands = map[string]string{
	"OnrushDown":                 "journalctl -u onrush -n 50",
	"OnrushRestarts":             "journalctl -u onrush -n 50",
	"OnrushGone":                 doctor,
	"OnrushStoreDown":            doctor,
	"OnrushMetricsMissing":       doctor,
	"OnrushRedisFull":            doctor,
	"OnrushRedisReplicasLacking": doctor,
	"OnrushRedisReplicaLost":     doctor,
	"OnrushRedisEvicts":          doctor,
	"OnrushSQLUnconfirmed":       doctor,
	"OnrushPoolExhausted":        doctor,

	"OnrushSaleErrors":       failedRequests,
	"OnrushSaleSlow":         doctor,
	"OnrushSaleStandsStill":  "onrush activities list --state published; onrush activities show {{ $labels.activity }}",
	"OnrushOverloaded":       "onrush queue",
	"OnrushSaleDrift":        "onrush audit {{ $labels.activity }}",
	"OnrushErrorsBurnFast":   failedRequests,
	"OnrushErrorsBurnSlowly": failedRequests,

	"OnrushQueueStuck":    "onrush queue",
	"OnrushDeadEntries":   "onrush dead list",
	"OnrushStockPending":  "onrush jobs runs settle_stock",
	"OnrushVouchersWait":  "onrush vouchers list --waiting",
	"OnrushEndpointFails": "onrush endpoints deliveries {{ $labels.endpoint }}",

	"OnrushPaymentFlagged": "onrush payments --flagged",
	"OnrushGatewayAway":    doctor,
	"OnrushPaymentsStuck":  doctor,
	"OnrushRefundFailed":   "onrush refunds --status failed",
	"OnrushRefundsStuck":   "onrush refunds --status pending",

	"OnrushJobStands":  "onrush jobs runs {{ $labels.job_name }}",
	"OnrushClockWrong": doctor,
	"OnrushCopyOld":    doctor,

	"OnrushSalesStopped":     settings,
	"OnrushSalesLeftStopped": settings,
	"OnrushLimitsOff":        settings,
	"OnrushDegraded":         settings,
}
