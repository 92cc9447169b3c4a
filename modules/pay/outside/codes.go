package outside

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeReferenceUsed refuses a report whose reference was reported before for another order or another amount.
var CodeReferenceUsed = problem.Code{Name: "reference_used", Status: http.StatusConflict}
