package web

import "net/http"

// Codes of sales.
var (
	CodeNotStarted           = Code{"not_started", http.StatusConflict}
	CodeEnded                = Code{"ended", http.StatusConflict}
	CodeOffline              = Code{"offline", http.StatusConflict}
	CodeSoldOutUnpaidPending = Code{"sold_out_unpaid_pending", http.StatusConflict}
	CodeNoPermit             = Code{"no_permit", http.StatusConflict}
	CodePurchaseLimit        = Code{"purchase_limit", http.StatusConflict}
	CodePathInvalid          = Code{"path_invalid", http.StatusForbidden}
	CodePathExpired          = Code{"path_expired", http.StatusForbidden}
	CodeTaskNotFound         = Code{"task_not_found", http.StatusNotFound}
)
