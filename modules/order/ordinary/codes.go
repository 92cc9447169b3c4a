package ordinary

import (
	"net/http"

	"onrush/modules/problem"
)

// CodePriceChanged says that the orders would cost something else than what the buyer saw.
var CodePriceChanged = problem.Code{Name: "price_changed", Status: http.StatusConflict}
