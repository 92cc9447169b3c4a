package catalogue

import (
	"net/http"

	"onrush/web/problem"
)

// CodeAddressRequired says that a delivery needs an address and has none.
var CodeAddressRequired = problem.Code{Name: "address_required", Status: http.StatusUnprocessableEntity}
