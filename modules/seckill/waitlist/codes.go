package waitlist

import (
	"net/http"

	"onrush/modules/problem"
)

// The problem codes of waiting lists.
var (
	CodeNoWaitlist   = problem.Code{Name: "no_waitlist", Status: http.StatusConflict}
	CodeNotSoldOut   = problem.Code{Name: "not_sold_out", Status: http.StatusConflict}
	CodeWaitlistFull = problem.Code{Name: "waitlist_full", Status: http.StatusConflict}
)
