package pay

import (
	"net/http"

	"onrush/web/problem"
)

// Codes of payments.
var (
	CodeNotPayable = problem.Code{Name: "not_payable", Status: http.StatusConflict}
)
