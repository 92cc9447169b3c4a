package web

import "net/http"

// Codes that any module answers with.
var (
	CodeInvalidRequest       = Code{"invalid_request", http.StatusUnprocessableEntity}
	CodeNotFound             = Code{"not_found", http.StatusNotFound}
	CodeConflict             = Code{"conflict", http.StatusConflict}
	CodeIdempotencyKeyReused = Code{"idempotency_key_reused", http.StatusUnprocessableEntity}
	CodeUnauthorized         = Code{"unauthorized", http.StatusUnauthorized}
	CodeOverloaded           = Code{"overloaded", http.StatusServiceUnavailable}
	CodeUnavailable          = Code{"unavailable", http.StatusServiceUnavailable}
	CodeInternal             = Code{"internal", http.StatusInternalServerError}
)
