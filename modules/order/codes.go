package order

import (
	"net/http"

	"onrush/web/problem"
)

// Codes of orders.
var (
	CodeSoldOut        = problem.Code{Name: "sold_out", Status: http.StatusConflict}
	CodeNotCancellable = problem.Code{Name: "not_cancellable", Status: http.StatusConflict}
)
