package pay

import (
	"net/http"

	"onrush/modules/problem"
)

// Codes of payments.
var (
	CodeNotPayable = problem.Code{Name: "not_payable", Status: http.StatusConflict}
	// CodeDisputed refuses a refund of money that the buyer's bank has taken back or may take back.
	CodeDisputed = problem.Code{Name: "payment_disputed", Status: http.StatusConflict}
	// A gateway refuses a payment for a reason that neither the buyer nor a repetition changes, such as the merchant's
	// permissions.
	CodeGatewayRefused = problem.Code{Name: "gateway_refused", Status: http.StatusBadGateway}
	// A gateway decided nothing: it can't be reached, takes too long, or is in trouble. Other channels may work.
	CodeGatewayUnavailable = problem.Code{Name: "gateway_unavailable", Status: http.StatusServiceUnavailable}
)
