package web

import (
	"net/http"

	"onrush/modules/problem"
)

// Codes of requests that the server refuses before a module handles them. The codes of a module are in its codes.go.
var (
	CodeIdempotencyKeyMissing = problem.Code{Name: "idempotency_key_required", Status: http.StatusUnprocessableEntity}
	CodeTooLarge              = problem.Code{Name: "too_large", Status: http.StatusRequestEntityTooLarge}
	CodeMethodNotAllowed      = problem.Code{Name: "method_not_allowed", Status: http.StatusMethodNotAllowed}
	CodeUnsupportedMedia      = problem.Code{Name: "unsupported_media_type", Status: http.StatusUnsupportedMediaType}
	CodeForbidden             = problem.Code{Name: "forbidden", Status: http.StatusForbidden}
	// Not HTTP as this server reads it.
	CodeBadRequest = problem.Code{Name: "bad_request", Status: http.StatusBadRequest}
	// The request line and its headers.
	CodeHeadersTooLarge = problem.Code{Name: "headers_too_large", Status: http.StatusRequestHeaderFieldsTooLarge}
	// The request came too slowly.
	CodeRequestTimeout = problem.Code{Name: "request_timeout", Status: http.StatusRequestTimeout}
)
