package order

import (
	"net/http"

	"onrush/web/problem"
)

// Codes of orders.
var (
	CodeSoldOut         = problem.Code{Name: "sold_out", Status: http.StatusConflict}
	CodeAddressRequired = problem.Code{Name: "address_required", Status: http.StatusUnprocessableEntity}
	CodeNotCancellable  = problem.Code{Name: "not_cancellable", Status: http.StatusConflict}
)
