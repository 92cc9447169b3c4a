package catalogue

import (
	"net/http"

	"onrush/web/problem"
)

// CodeAddressRequired is the code of a delivery that needs an address and has none.
var CodeAddressRequired = problem.Code{Name: "address_required", Status: http.StatusUnprocessableEntity}
