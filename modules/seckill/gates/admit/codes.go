package admit

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeNotAdmitted refuses a path to a buyer whom the shop doesn't admit.
var CodeNotAdmitted = problem.Code{Name: "not_admitted", Status: http.StatusForbidden}
