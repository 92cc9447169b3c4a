package catalogue

import (
	"net/http"

	"onrush/modules/problem"
)

var (
	// CodeAddressRequired says that a delivery needs an address and has none.
	CodeAddressRequired = problem.Code{Name: "address_required", Status: http.StatusUnprocessableEntity}
	// CodeRegionNotServed says that no stock point sends the goods to the region of the address.
	CodeRegionNotServed = problem.Code{Name: "region_not_served", Status: http.StatusUnprocessableEntity}
)
