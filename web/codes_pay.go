package web

import "net/http"

// Codes of payments.
var (
	CodeNotPayable = Code{"not_payable", http.StatusConflict}
)
