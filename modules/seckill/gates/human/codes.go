package human

import (
	"net/http"

	"onrush/modules/problem"
)

// The problem codes of human checks.
var (
	CodeRequired = problem.Code{Name: "human_check_required", Status: http.StatusForbidden}
	CodeFailed   = problem.Code{Name: "human_check_failed", Status: http.StatusForbidden}
)

// failed returns human_check_failed with the reason; every refused answer needs a new challenge.
func failed(reason string) error {
	return problem.Errorf(CodeFailed, "The answer to the human check %s; get a new challenge.", reason)
}
