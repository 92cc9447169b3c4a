package double

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
)

// Silent is a gateway that carries out what it is asked for, and may not answer.
type Silent struct {
	next http.Handler
	on   atomic.Bool
}

// NewSilent returns a gateway that answers as next.
func NewSilent(next http.Handler) *Silent { return &Silent{next: next} }

// Silence sets whether the gateway does not answer.
func (s *Silent) Silence(on bool) { s.on.Store(on) }

func (s *Silent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	made := httptest.NewRecorder()
	s.next.ServeHTTP(made, r)
	if s.on.Load() {
		<-r.Context().Done()
		return
	}
	for name, values := range made.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(made.Code)
	_, _ = w.Write(made.Body.Bytes())
}
