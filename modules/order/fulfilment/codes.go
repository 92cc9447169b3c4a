package fulfilment

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeOtherFreight refuses an address that another stock point serves.
var CodeOtherFreight = problem.Code{Name: "other_freight", Status: http.StatusConflict}
