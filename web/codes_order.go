package web

import "net/http"

// Codes of orders.
var (
	CodeSoldOut         = Code{"sold_out", http.StatusConflict}
	CodeAddressRequired = Code{"address_required", http.StatusUnprocessableEntity}
	CodeNotCancellable  = Code{"not_cancellable", http.StatusConflict}
)
