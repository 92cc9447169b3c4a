package web

import "net/http"

// Codes of what the server refuses before a module has the request.
var (
	CodeIdempotencyKeyMissing = Code{"idempotency_key_required", http.StatusUnprocessableEntity}
	CodeTooLarge              = Code{"too_large", http.StatusRequestEntityTooLarge}
	CodeMethodNotAllowed      = Code{"method_not_allowed", http.StatusMethodNotAllowed}
	CodeUnsupportedMedia      = Code{"unsupported_media_type", http.StatusUnsupportedMediaType}
	CodeForbidden             = Code{"forbidden", http.StatusForbidden}
	CodeBadRequest            = Code{"bad_request", http.StatusBadRequest}                        // not HTTP as this server reads it
	CodeHeadersTooLarge       = Code{"headers_too_large", http.StatusRequestHeaderFieldsTooLarge} // the request line and its headers
	CodeRequestTimeout        = Code{"request_timeout", http.StatusRequestTimeout}                // the request came too slowly
)
