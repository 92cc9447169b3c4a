package blocked

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeBlocked is the code of a request whose user or address is blocked. It doesn't tell which, nor why.
var CodeBlocked = problem.Code{Name: "blocked", Status: http.StatusForbidden}

var errBlocked = &problem.Error{Code: CodeBlocked, Detail: "This user or address is blocked.", Gate: "blocked"}
