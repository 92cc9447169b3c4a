package eligible

import (
	"net/http"

	"onrush/modules/problem"
)

// The problem codes of sales that are for some buyers only.
var (
	CodeNotEligible     = problem.Code{Name: "not_eligible", Status: http.StatusForbidden}
	CodeCodeInvalid     = problem.Code{Name: "code_invalid", Status: http.StatusForbidden}
	CodeLimitKeyMissing = problem.Code{Name: "limit_key_missing", Status: http.StatusForbidden}
)

// These errors don't say why: not every shop tells its buyers on which lists they are, and a stranger must not learn
// which codes there are.
var (
	errNotEligible = problem.Errorf(CodeNotEligible,
		"This sale is for certain buyers only, and you are not one of them.")
	errCode       = problem.Errorf(CodeCodeInvalid, "There is no such code for this sale, or it was used already.")
	errNoLimitKey = problem.Errorf(CodeLimitKeyMissing,
		"Purchases of this sale are counted by a claim that your sign-in doesn't have; ask the shop.")
)
