package seckill

import (
	"net/http"

	"onrush/modules/problem"
)

// The problem codes of flash sales.
var (
	CodeNotStarted           = problem.Code{Name: "not_started", Status: http.StatusConflict}
	CodeEnded                = problem.Code{Name: "ended", Status: http.StatusConflict}
	CodeOffline              = problem.Code{Name: "offline", Status: http.StatusConflict}
	CodePaused               = problem.Code{Name: "sale_paused", Status: http.StatusConflict}
	CodeSoldOutUnpaidPending = problem.Code{Name: "sold_out_unpaid_pending", Status: http.StatusConflict}
	CodeSoldOutForNow        = problem.Code{Name: "sold_out_for_now", Status: http.StatusConflict}
	CodeNoPermit             = problem.Code{Name: "no_permit", Status: http.StatusConflict}
	CodePurchaseLimit        = problem.Code{Name: "purchase_limit", Status: http.StatusConflict}
	CodeDrawClosed           = problem.Code{Name: "draw_closed", Status: http.StatusConflict}
	CodeNotDrawn             = problem.Code{Name: "not_drawn", Status: http.StatusConflict}
	CodePathInvalid          = problem.Code{Name: "path_invalid", Status: http.StatusForbidden}
	CodePathExpired          = problem.Code{Name: "path_expired", Status: http.StatusForbidden}
	CodeTaskNotFound         = problem.Code{Name: "task_not_found", Status: http.StatusNotFound}
)
