package admit

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeNotAdmitted refuses a path to a buyer whom the shop doesn't admit.
var CodeNotAdmitted = problem.Code{Name: "not_admitted", Status: http.StatusForbidden}

// CodeNotInSegment refuses a buyer who is in none of the segments that a sale is for.
var CodeNotInSegment = problem.Code{Name: "not_in_segment", Status: http.StatusForbidden}
