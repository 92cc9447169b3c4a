package rounds

import (
	"net/http"
	"sync/atomic"
)

// receiver takes events. Now and then it asks for a pause, fails, or breaks the connection without an answer.
type receiver struct{ requests atomic.Int64 }

func (r *receiver) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	const every = 12 // requests until it behaves the same again
	switch r.requests.Add(1) % every {
	case 3:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	case 6:
		w.WriteHeader(http.StatusInternalServerError)
	case 9:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
