package complete

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeAlreadyPacked refuses another address for an order that is packed.
var CodeAlreadyPacked = problem.Code{Name: "already_packed", Status: http.StatusConflict}
