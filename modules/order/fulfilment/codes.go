package fulfilment

import (
	"net/http"

	"onrush/modules/problem"
)

// Codes of changed addresses.
var (
	// CodeAlreadyPacked refuses another address for an order that is packed.
	CodeAlreadyPacked = problem.Code{Name: "already_packed", Status: http.StatusConflict}
	// CodeOtherFreight refuses an address that another stock point serves.
	CodeOtherFreight = problem.Code{Name: "other_freight", Status: http.StatusConflict}
)
