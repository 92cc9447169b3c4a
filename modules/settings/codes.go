package settings

import (
	"net/http"
	"time"

	"onrush/modules/problem"
)

// The codes of requests that are refused because of the settings.
var (
	CodeSalesStopped = problem.Code{Name: "sales_stopped", Status: http.StatusConflict}
	CodeDegraded     = problem.Code{Name: "degraded", Status: http.StatusServiceUnavailable}
)

const (
	stoppedFor  = 5 * time.Second  // after which time clients ask again while all sales are stopped
	degradedFor = 30 * time.Second // after which time they ask again which parts are turned off
)

var errStopped = &problem.Error{
	Code: CodeSalesStopped, Detail: "All sales are stopped; they will go on.", RetryAfter: stoppedFor,
	RefreshAfter: stoppedFor, Gate: "settings",
}

// errUnknown refuses what a stop of all sales would refuse, while an instance that has just started can't read whether
// there is one.
var errUnknown = &problem.Error{
	Code: problem.CodeUnavailable, Detail: "Whether sales are stopped can't be read yet.", RetryAfter: stoppedFor,
	Gate: "settings",
}

var errDegraded = &problem.Error{
	Code: CodeDegraded, Detail: "This is turned off while the load is high.", RetryAfter: degradedFor, Gate: "settings",
}
