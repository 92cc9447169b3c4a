package line

import (
	"net/http"
	"time"

	"onrush/modules/problem"
)

// The problem codes of the waiting room.
var (
	CodeLineRequired = problem.Code{Name: "line_required", Status: http.StatusConflict}
	CodePlaceInvalid = problem.Code{Name: "place_invalid", Status: http.StatusForbidden}
)

// The refusals of the waiting room.
var (
	errFull    = problem.Errorf(problem.CodeOverloaded, "Too many users are in the waiting room.").After(time.Second)
	errNoPlace = problem.Errorf(CodeLineRequired, "This sale has a waiting room; join it, and send your place.")
	errExpired = problem.Errorf(CodeLineRequired, "Your place in the waiting room has expired; join again.")
	errLost    = problem.Errorf(CodeLineRequired, "The waiting room has lost your place; join again.")
	errInvalid = problem.Errorf(CodePlaceInvalid,
		"The place is not valid for this user and sale; join the waiting room.")
)
