package problem

import "net/http"

// Codes that any module may return.
var (
	CodeInvalidRequest = Code{Name: "invalid_request", Status: http.StatusUnprocessableEntity}
	CodeNotFound       = Code{Name: "not_found", Status: http.StatusNotFound}
	CodeConflict       = Code{Name: "conflict", Status: http.StatusConflict}
	// A request that was made from an older version of what it changes.
	CodeStaleVersion         = Code{Name: "stale_version", Status: http.StatusConflict}
	CodeIdempotencyKeyReused = Code{Name: "idempotency_key_reused", Status: http.StatusUnprocessableEntity}
	CodeUnauthorized         = Code{Name: "unauthorized", Status: http.StatusUnauthorized}
	CodeOverloaded           = Code{Name: "overloaded", Status: http.StatusServiceUnavailable}
	// A request over a limit of its sender. It says nothing about an order.
	CodeRateLimited = Code{Name: "rate_limited", Status: http.StatusTooManyRequests}
	CodeUnavailable = Code{Name: "unavailable", Status: http.StatusServiceUnavailable}
	CodeInternal    = Code{Name: "internal", Status: http.StatusInternalServerError}
)
